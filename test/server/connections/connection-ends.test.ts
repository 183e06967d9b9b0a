import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { type FastifyInstance, fastify } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { breakMiscountedBodies, mendConnectionEnds } from '../../../src/server/connections.ts'
import { answerMalformedHttp, answerUnknownExpectation } from '../../../src/server/malformed-http.ts'

/** More than the kernel's buffers of a connection hold. */
const PLENTY_BYTES = 8_000_000

let app: FastifyInstance
let port: number
beforeAll(async () => {
  app = fastify({ return503OnClosing: false, bodyLimit: 1000, clientErrorHandler: answerMalformedHttp })
  mendConnectionEnds(app.server)
  app.server.on('checkExpectation', answerUnknownExpectation)
  breakMiscountedBodies(app)
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
  app.setErrorHandler((error, _request, reply) =>
    reply.code((error as { statusCode?: number }).statusCode ?? 500).send('refused'),
  )
  app.get('/broken', (_request, reply) => reply.send(Readable.from(breaking())))

  app.get('/left', (_request, reply) => reply.send(Readable.from(waiting())))
  app.get('/whole', (_request, reply) => reply.send(Readable.from(['row', 'row'])))
  app.get<{ Params: { length: string } }>('/declared/:length', ({ params }, reply) =>
    reply.header('content-length', params.length).send(Readable.from([Buffer.from('row'), Buffer.from('row')])),
  )
  app.get('/never', (_request, reply) =>
    reply.header('content-length', 9).send(
      new Readable({
        read() {
          this.destroy(new Error('not even one'))
        },
      }),
    ),
  )
  app.post('/take', async () => 'taken')
  port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
})
afterAll(() => app.close())

async function* breaking() {
  yield 'rows'
  await new Promise(setImmediate)
  throw new Error('broken')
}

async function* waiting() {
  yield 'rows'
  await new Promise(() => undefined)
}

/** Reads until the connection ends, and tells if it was reset. */
async function exchange(request: string | Buffer, onOpen: (socket: Socket) => void = () => undefined) {
  const socket = connect({ port, host: '127.0.0.1' })
  let text = ''
  let end = 'end'
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    end = error.code ?? 'error'
  })
  socket.write(request)
  onOpen(socket)
  await new Promise((resolve) => socket.once('close', resolve))
  return { end, status: Number(text.split(' ')[1]), text, body: text.slice(text.indexOf('\r\n\r\n') + 4) }
}

const get = (path: string, version: string, more = '') =>
  exchange(`GET ${path} HTTP/${version}\r\nhost: a\r\n${more}\r\n`)

describe('an answer over HTTP/1.0', () => {
  test.each(['', 'connection: keep-alive\r\n'])('that breaks off is reset, %j', async (more) => {
    expect(await get('/broken', '1.0', more)).toMatchObject({ end: 'ECONNRESET', status: 200 })
  })

  test('that is whole ends as before, in one piece or as a stream', async () => {
    expect(await get('/whole', '1.0')).toMatchObject({ end: 'end', body: 'rowrow' })
    expect(await get('/nowhere', '1.0')).toMatchObject({ end: 'end', status: 404 })
  })

  test('that the server cuts is reset as well', async () => {
    const answer = exchange('GET /left HTTP/1.0\r\nhost: a\r\n\r\n', (socket) =>
      socket.once('data', () => app.server.closeAllConnections()),
    )
    expect(await answer).toMatchObject({ end: 'ECONNRESET', status: 200 })
  })
})

describe('an answer over HTTP/1.1 that breaks off', () => {
  test('has no last chunk', async () => {
    const { text } = await get('/broken', '1.1')
    expect(text).toContain('\r\nrows\r\n')
    expect(text).not.toContain('\r\n0\r\n\r\n')
  })
})

describe('a stream whose answer declares a length', () => {
  test.each(['1.0', '1.1'])('is sent where it has that length, %s', async (version) => {
    expect(await get('/declared/6', version, 'connection: close\r\n')).toMatchObject({ end: 'end', body: 'rowrow' })
  })

  test.each(['5', '7'])('breaks off the connection where it has another one than %s', async (length) => {
    // Without an end of the connection this would wait for ever.
    expect((await get(`/declared/${length}`, '1.1')).body.length).toBeLessThan(Number(length))
    expect((await get(`/declared/${length}`, '1.0')).end).toBe('ECONNRESET')
  })

  test('and that fails before its first byte is answered with an error', async () => {
    expect(await get('/never', '1.1', 'connection: close\r\n')).toMatchObject({
      end: 'end',
      status: 500,
      body: 'refused',
    })
  })
})

describe('an answer that is out before its request is', () => {
  const HEADERS = 'host: a\r\ncontent-type: text/plain\r\n'
  const body = Buffer.alloc(PLENTY_BYTES, 'x')
  const send = (version: string, more: string, sent: Buffer | string) =>
    exchange(`POST /take HTTP/${version}\r\n${HEADERS}${more}\r\n`, (socket) => socket.write(sent))

  test.each([
    ['1.1', 'connection: close\r\n', 'a length'],
    ['1.0', '', 'a length'],
    ['1.1', 'connection: close\r\nexpect: 100-continue\r\n', 'a length after it was asked for'],
    ['1.1', 'connection: close\r\nexpect: another\r\n', 'a length and another expectation'],
  ])('arrives, HTTP/%s with %j and %s', async (version, more) => {
    const { text, end } = await send(version, `${more}content-length: ${body.length}\r\n`, body)
    expect([text.replace('HTTP/1.1 100 Continue\r\n\r\n', '').slice(8, 10), end]).toEqual([' 4', 'end'])
  })

  test('arrives, with chunks', async () => {
    const chunked = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
    expect(await send('1.1', 'connection: close\r\ntransfer-encoding: chunked\r\n', chunked)).toMatchObject({
      status: 413,
      end: 'end',
    })
  })

  test('arrives where what comes is no HTTP: in the headers, and in a chunk', async () => {
    const headers = `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(PLENTY_BYTES)}\r\n\r\n`
    expect(await exchange(headers)).toMatchObject({ status: 400, end: 'end' })
    const chunk = Buffer.concat([Buffer.from('1\r\nx\r\nnonsense\r\n'), body])
    expect(await send('1.1', 'transfer-encoding: chunked\r\n', chunk)).toMatchObject({ status: 400, end: 'end' })
  })

  test('arrives at once where the client sends slowly, and nothing that comes behind is carried out', async () => {
    const answered = exchange(`POST /take HTTP/1.0\r\n${HEADERS}content-length: 2000\r\n\r\nx`, (socket) =>
      socket.once('data', () => socket.write(`${'x'.repeat(1999)}POST /take HTTP/1.1\r\nhost: a\r\n\r\n`)),
    )
    const { status, text, end } = await answered
    expect([status, text.split('HTTP/1.').length, end]).toEqual([413, 2, 'end'])
  })
})
