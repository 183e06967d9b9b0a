import { isAscii } from 'node:buffer'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { JSON_TYPE } from '../src/errors/describe-error.ts'
import { OPEN_ANSWER } from '../src/http/headers.ts'
import type { Answer } from './operation.ts'

const OPEN_HEAD = Object.entries(OPEN_ANSWER).flat()

export function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  if (headers !== undefined) reply.headers(headers)
  if (Buffer.isBuffer(body)) return reply.code(status).send(body)
  if (!(body instanceof Readable))
    return reply.code(status).header('content-type', JSON_TYPE).send(JSON.stringify(body))
  // The export's spill reader has a longer timeout of its own.
  reply.raw.setTimeout(0)
  reply.header('x-accel-buffering', 'no')
  if (reply.request.method !== 'HEAD') return reply.code(status).send(body)
  // HEAD reads no content. Without a stream fastify would send Content-Length: 0.
  body.destroy()
  return reply.code(status).send(Readable.from([]))
}

const quick = new WeakMap<Buffer, Buffer | string>()

/** Sends bytes to every origin directly through node, because fastify's headers cost more than the answer. */
export function sendOpen(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  const head = [...OPEN_HEAD, 'x-request-id', reply.request.id]
  for (const name in headers) head.push(name, headers[name]!)
  if (body !== null) head.push('content-type', JSON_TYPE, 'content-length', String((body as Buffer).length))
  reply
    .hijack()
    .raw.writeHead(status, head)
    .end(body === null ? null : quickest(body as Buffer), 'latin1')
  return reply
}

function quickest(bytes: Buffer): Buffer | string {
  const known = quick.get(bytes)
  if (known !== undefined) return known
  const made = isAscii(bytes) ? bytes.toString('latin1') : bytes
  quick.set(bytes, made)
  return made
}
