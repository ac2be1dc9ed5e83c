package main

import (
	"bufio"
	"context"
	"fmt"
	"math/big"
	"os"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"
)

// quantitiesCommand reads a quantity from each line of standard input and
// prints its nano-units, its value and its thousandths; "-" where it is none.
func quantitiesCommand() *command {
	flags := pflag.NewFlagSet("oracle quantities", pflag.ContinueOnError)
	return &command{flags: flags, run: func(context.Context, []string) error {
		out := bufio.NewWriter(os.Stdout)
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			quantity, err := resource.ParseQuantity(lines.Text())
			if err != nil {
				fmt.Fprintln(out, "-")
				continue
			}
			fmt.Fprintln(out, nanosOf(quantity), quantity.Value(), quantity.MilliValue())
		}
		if err := lines.Err(); err != nil {
			return err
		}
		return out.Flush()
	}}
}

func nanosOf(quantity resource.Quantity) *big.Int {
	// AsDec changes its receiver, which is a copy here.
	dec := quantity.AsDec()
	power := big.NewInt(9 - int64(dec.Scale()))
	negative := power.Sign() < 0
	factor := new(big.Int).Exp(big.NewInt(10), power.Abs(power), nil)
	if negative {
		return new(big.Int).Quo(dec.UnscaledBig(), factor)
	}
	return new(big.Int).Mul(dec.UnscaledBig(), factor)
}
