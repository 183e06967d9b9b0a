import { Readable, Transform } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/**
 * Breaks off a stream whose length differs from its Content-Length.
 * Otherwise a client takes bytes of the next answer for the rest of this one.
 */
export function breakMiscountedBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const length = payload instanceof Readable ? reply.getHeader('content-length') : undefined
    if (length === undefined || request.method === 'HEAD') return done(null, payload)
    done(null, counted(payload as Readable, Number(length)))
  })
}

function counted(source: Readable, length: number): Readable {
  let left = length
  const miscounted = () => new Error(`a body of ${length} bytes has ${length - left}`)
  const through = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      left -= chunk.length
      if (left < 0) done(miscounted())
      else done(null, chunk)
    },
    flush: (done) => done(left === 0 ? null : miscounted()),
  })
  source.once('error', (error) => through.destroy(error))
  source.once('close', () => {
    if (!source.readableEnded) through.destroy(miscounted())
  })
  through.once('close', () => source.destroy())
  return source.pipe(through)
}
