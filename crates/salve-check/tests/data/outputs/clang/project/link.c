int missing_function(int);
int main(void) { return missing_function(1); }
