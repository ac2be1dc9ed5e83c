"""A Model Context Protocol client from the public library, as a program: it starts the server, lists its tools and calls some.

Arguments: the client's mode ("auto": the newest revision that both have; "legacy": initialize) and the server's command. Standard input:
a JSON list of [tool, arguments]. Standard output: the agreed revision, the tools, and the results in the order of the calls.
"""
import asyncio
import json
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main(mode, command, calls):
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(stdio_client(server), mode=mode, read_timeout_seconds=60) as client:
        tools = (await client.list_tools()).tools
        results = await asyncio.gather(*(client.call_tool(name, arguments) for name, arguments in calls), return_exceptions=True)
        json.dump({"revision": client.protocol_version, "server": plain(client.server_info), "instructions": client.instructions,
                   "tools": [plain(tool) for tool in tools],
                   "results": [{"error": str(one)} if isinstance(one, Exception) else plain(one) for one in results]}, sys.stdout)


asyncio.run(main(sys.argv[1], sys.argv[2:], json.load(sys.stdin)))
