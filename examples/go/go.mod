module till

go 1.19
