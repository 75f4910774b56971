for number in 1 2 3; do
    setsid sleep 60 &
done
exit 1
