import java.util.Lisst;
import com.example.missing.Thing;

public class Main {
	static int area(int side) { return "two"; }
    public static void main(String[] args) {
        String é = "ü"; int x = é; 
        undefinedMethod(x);
        Strng name = null;
        new Main().area();
    }
}
