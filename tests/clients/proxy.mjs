// The conformance suite cannot send a token, so it talks to this, which adds one and passes everything else on as it is.
// Prints its own address when it listens.
import http from "node:http";

const [target, token] = process.argv.slice(2);
const { hostname, port } = new URL(target);

const server = http.createServer((incoming, answer) => {
  const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
  // A client that names this proxy means the server behind it; any other name is the server's to refuse.
  const own = `127.0.0.1:${server.address().port}`;
  for (const name of ["host", "origin"]) headers[name] = headers[name]?.replace(own, `${hostname}:${port}`);
  if (headers.origin === undefined) delete headers.origin;
  const outgoing = http.request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (response) => {
    answer.writeHead(response.statusCode, response.headers);
    response.pipe(answer);
  });
  outgoing.on("error", () => answer.destroy());
  incoming.pipe(outgoing);
});

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
