const a = {;
