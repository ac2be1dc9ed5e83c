module example.com/keeper

go 1.26
