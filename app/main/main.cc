#include "app/main/podium.h"

int main(int argc, char** argv) { return podium::app::main(argc, argv); }
