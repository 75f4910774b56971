#include <vector>
#include <string>
template <class T> T twice(T value) { return value.size() * 2; }
#define CALL(x) twice(x)
int main() {
    std::vector<int> v; v.push_bck(1);
    return CALL(3);
}
