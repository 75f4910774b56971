echo $(ls
