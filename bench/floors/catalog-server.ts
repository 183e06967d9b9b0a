import { fastify } from 'fastify'

// The catalog's bytes as they come from the service named by CATALOG_URL, under the same ETag.

const original = await fetch(process.env.CATALOG_URL ?? '')
const bytes = Buffer.from(await original.arrayBuffer())
const etag = original.headers.get('etag') ?? ''
const app = fastify()

app.get('/', (request, reply) => {
  reply.header('etag', etag).header('cache-control', 'no-cache')
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(bytes)
})

process.stdout.write(`ready ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
