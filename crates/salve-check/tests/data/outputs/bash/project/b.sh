if true; then
  echo a
}
done
