public class Broken {
    void run() {
        int x = 1
        return;
    }
