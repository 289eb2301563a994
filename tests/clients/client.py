"""The official Python client, through one journey: list, discover, page, fetch, read on, be refused.

client.py http URL TOKEN | client.py stdio COMMAND [ARGUMENT…]
"""

import asyncio
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

TOOLS = {"schema", "query_records", "aggregate", "search", "fetch", "read_record_field"}


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert len(result.content) == 1 and result.content[0].text, (tool, result)
    assert result.structured_content, (tool, result)
    return result


async def journey(client):
    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS, tools
    assert "schema" in (client.instructions or "")
    schema = await call(client, "schema", detail="compact")
    assert schema.structured_content["data"]["object"] == "schema"
    arguments = {"stream": "transactions", "connection_id": "bank-elbe", "limit": 2}
    page = (await call(client, "query_records", **arguments)).structured_content["data"]
    assert len(page["data"]) == 2 and page["has_more"], page
    later = (await call(client, "query_records", **arguments, cursor=page["next_cursor"])).structured_content["data"]
    assert later["data"][0]["id"] != page["data"][0]["id"]
    record = f"bank-elbe/transactions:{page['data'][0]['id']}"
    assert (await call(client, "fetch", id=record)).structured_content["id"] == record
    window = await call(client, "read_record_field", id=record, field_path="merchant")
    assert window.structured_content["window"]["complete"]
    count = await call(client, "aggregate", stream="transactions", connection_id="bank-elbe", metric="count")
    assert count.structured_content["data"]["value"] > 0
    refused = await call(client, "query_records", stream="nothing", connection_id="bank-elbe")
    assert refused.is_error and refused.structured_content["error"]["code"], refused
    assert (await client.list_resource_templates()).resource_templates


async def main():
    kind, *rest = sys.argv[1:]
    for mode in ["legacy", "auto"]:
        if kind == "stdio":
            server = StdioServerParameters(command=rest[0], args=rest[1:])
            async with Client(server, mode=mode) as client:
                await journey(client)
                print(f"python, stdio, {client.protocol_version}: ok")
            continue
        url, token = rest
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
                await journey(client)
                print(f"python, http, {client.protocol_version}: ok")


asyncio.run(main())
