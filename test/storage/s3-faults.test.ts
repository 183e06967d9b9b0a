import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { StoreDown } from '../../src/errors/outages.ts'
import { openS3 } from '../../src/storage/s3.ts'
import { parseS3Url } from '../../src/storage/s3-url.ts'
import { loseAnswer, S3_CREDENTIALS, type S3Fault, type S3Server, startS3Server } from '../setup/servers/s3-server.ts'

const WAV = { contentType: 'audio/wav' }
/** Two parts. */
const LONG = randomBytes(8 * 1024 * 1024 + 1000)
const NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'

let server: S3Server
beforeAll(async () => {
  server = await startS3Server()
})
afterEach(() => server.interfere(null))
afterAll(() => server.close())

const open = () => openS3(parseS3Url(server.storageUrl), S3_CREDENTIALS)

type Answer = S3Fault
const say =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (_request, reply) => {
    reply.writeHead(status, headers).end(body)
    return true
  }
const cut: Answer = (request) => {
  request.socket.destroy()
  return true
}
/** After the first bytes of the request's body. */
const cutInTheMiddle: Answer = (request) => {
  request.once('data', () => request.socket.destroy())
  return true
}

type Kind = 'begin' | 'part' | 'complete' | 'abort' | 'put' | 'delete' | 'list' | 'uploads' | 'head' | 'get'

function kindOf({ method, url = '' }: IncomingMessage): Kind {
  const { searchParams: query } = new URL(url, 'http://s3.test')
  if (method === 'POST') return query.has('uploads') ? 'begin' : 'complete'
  if (method === 'PUT') return query.has('partNumber') ? 'part' : 'put'
  if (method === 'DELETE') return query.has('uploadId') ? 'abort' : 'delete'
  if (method === 'HEAD') return 'head'
  return query.has('uploads') ? 'uploads' : query.has('list-type') ? 'list' : 'get'
}

/** The first requests of a kind get these answers; returns the kinds of all requests. */
function interfere(kind: Kind, answers: readonly Answer[]): Kind[] {
  const left = [...answers]
  const asked: Kind[] = []
  server.interfere((request: IncomingMessage, reply: ServerResponse) => {
    asked.push(kindOf(request))
    return kindOf(request) === kind && (left.shift()?.(request, reply) ?? false)
  })
  return asked
}

const error = (code: string, before = '', attributes = '') =>
  `${before}<Error${attributes}><Code>${code}</Code><Message>Please try again.</Message></Error>`

const TRANSIENT: [what: string, answer: Answer][] = [
  ['a 200 that says InternalError', say(200, error('InternalError', '<?xml version="1.0" encoding="UTF-8"?>\n'))],
  [
    'a 200 that says SlowDown behind white space, in a namespace',
    say(200, error('SlowDown', ' \r\n\r\n', ` ${NAMESPACE}`)),
  ],
  ['an empty 200', say(200, '')],
  [
    'the page of a proxy',
    say(200, '<!doctype html><html><body>Sign in</body></html>', { 'content-type': 'text/html' }),
  ],
  ['a 500', say(500, error('InternalError'))],
  ['a 503 with Retry-After', say(503, error('SlowDown'), { 'retry-after': '1' })],
  ['a 408', say(408, '')],
  ['a 409', say(409, error('OperationAborted'))],
  ['a 429', say(429, '')],
  ['a 400 that says RequestTimeout', say(400, error('RequestTimeout'))],
  ['a connection that is cut', cut],
  ['an answer that is lost', loseAnswer],
]

describe('an upload in parts', () => {
  /** Each costs an upload: the rarer requests get three faults of different kinds. */
  const few = TRANSIENT.filter(([what]) => /lost|page|InternalError/.test(what))
  test.each([
    ...TRANSIENT.map((fault) => ['complete' as const, ...fault] as const),
    ...few.map((fault) => ['begin' as const, ...fault] as const),
    ...few.map((fault) => ['part' as const, ...fault] as const),
  ])('whose request to %s gets %s is stored all the same', async (kind, what, answer) => {
    const key = `job_fault/${kind}-${TRANSIENT.findIndex(([name]) => name === what)}.wav`
    interfere(kind, [answer])
    expect((await open().put(key, LONG, WAV)).bytes).toBe(LONG.length)
    expect((await buffer(await open().read(key))).equals(LONG)).toBe(true)
  })

  test('whose connection is cut in the middle of a part goes on', async () => {
    interfere('part', [cutInTheMiddle])
    await open().put('job_fault/middle.wav', LONG, WAV)
    expect((await open().stat('job_fault/middle.wav'))?.bytes).toBe(LONG.length)
  })

  test('is there though its end was answered with NoSuchUpload: the first answer was lost', async () => {
    const asked = interfere('complete', [loseAnswer, say(404, error('NoSuchUpload'))])
    await open().put('job_fault/lost.wav', LONG, WAV)
    expect(asked).not.toContain('abort')
    expect((await open().stat('job_fault/lost.wav'))?.bytes).toBe(LONG.length)
  })

  test('that is gone, and no object in its place, is an outage', async () => {
    interfere('complete', Array<Answer>(2).fill(say(404, error('NoSuchUpload'))))
    await expect(open().put('job_fault/gone.wav', LONG, WAV)).rejects.toThrow(StoreDown)
    expect(await open().stat('job_fault/gone.wav')).toBeNull()
  })

  test('that fails for good is aborted', async () => {
    const asked = interfere('complete', Array<Answer>(2).fill(say(400, error('InvalidPart'))))
    await expect(open().put('job_fault/bad.wav', LONG, WAV)).rejects.toThrow('S3 answered 400 InvalidPart to POST.')
    expect(asked.at(-1)).toBe('abort')
    expect(await open().stat('job_fault/bad.wav')).toBeNull()
  })

  test('which nobody could abort is aborted with its folder', async () => {
    const aborted: string[] = []
    server.interfere((request, reply) => {
      const kind = kindOf(request)
      if (kind === 'uploads') {
        const upload = '<m:Upload><m:Key>job_left/1/a.wav</m:Key><m:UploadId>a+b/c&amp;=</m:UploadId></m:Upload>'
        return say(200, ` <m:ListMultipartUploadsResult xmlns:m="x">${upload}</m:ListMultipartUploadsResult>`)(
          request,
          reply,
        )
      }
      if (kind !== 'abort') return false
      aborted.push(request.url ?? '')
      return say(204, '')(request, reply)
    })
    await open().deleteBelow('job_left/1')
    expect(aborted).toEqual(['/artifacts/job_left/1/a.wav?uploadId=a%2Bb%2Fc%26%3D'])
  })
})

test.each(TRANSIENT.filter(([what]) => what !== 'an empty 200'))(
  'a small object whose PUT gets %s is stored all the same',
  async (_what, answer) => {
    interfere('put', [answer])
    await open().put('job_fault/small.wav', Buffer.from('0123456789'), WAV)
    server.interfere(null)
    expect((await buffer(await open().read('job_fault/small.wav'))).toString()).toBe('0123456789')
    await open().delete('job_fault/small.wav')
  },
)

describe('an object that breaks off', () => {
  const content = randomBytes(300_000)
  /** Sends only the first bytes of the store's real answer. */
  const breakOff =
    (bytes: number): Answer =>
    (request, reply) => {
      const start = Number(/bytes=(\d+)-/.exec(String(request.headers.range))?.[1] ?? 0)
      const rest = content.subarray(start)
      const range = request.headers.range === undefined ? {} : { 'content-range': `bytes ${start}-299999/300000` }
      reply.writeHead(request.headers.range === undefined ? 200 : 206, { 'content-length': rest.length, ...range })
      reply.write(rest.subarray(0, bytes), () => setImmediate(() => reply.destroy()))
      return true
    }

  test.each([
    ['whole', undefined],
    ['in part', { start: 1000, end: 250_000 }],
  ])('is read %s: the stream goes on behind its last byte', async (_what, range) => {
    await open().put('job_fault/read.wav', content, WAV)
    const asked = interfere('get', [breakOff(100_000), breakOff(50_000)])
    const read = await buffer(await open().read('job_fault/read.wav', range))
    expect(read.equals(content.subarray(range?.start ?? 0, (range?.end ?? content.length) + 1))).toBe(true)
    expect(asked).toEqual(['get', 'get', 'get'])
  })

  test('again and again without a byte in between is an outage, and no short object', async () => {
    interfere('get', Array<Answer>(20).fill(breakOff(0)))
    await expect(buffer(await open().read('job_fault/read.wav'))).rejects.toThrow(StoreDown)
  })

  test('is read from a store that takes no ranges', async () => {
    interfere('get', [(_request, reply) => say(200, `${'x'.repeat(10)}0123456789`)(_request, reply)])
    expect((await buffer(await open().read('job_fault/read.wav', { start: 10, end: 14 }))).toString()).toBe('01234')
  })
})

describe('a list', () => {
  const page = (isTruncated: boolean, token: string | null, ...keys: string[]) =>
    say(
      200,
      `<?xml version="1.0"?><ListBucketResult ${NAMESPACE}><IsTruncated>${isTruncated}</IsTruncated>${
        token === null ? '' : `<NextContinuationToken>${token}</NextContinuationToken>`
      }${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}</ListBucketResult>`,
    )

  test('is followed by its tokens, through empty pages', async () => {
    const asked = interfere('list', [
      page(true, 'one'),
      page(true, 'two', 'job_list/a'),
      page(false, null, 'job_list/b'),
    ])
    await open().deleteBelow('job_list')
    expect(asked).toEqual(['list', 'list', 'delete', 'list', 'delete', 'uploads'])
  })

  test('without tokens goes on behind its last key', async () => {
    const asked: string[] = []
    const pages = [page(true, null, 'job_list/a'), page(false, null, 'job_list/b')]
    server.interfere((request, reply) => {
      if (kindOf(request) !== 'list') return false
      asked.push(request.url ?? '')
      return pages.shift()?.(request, reply) ?? false
    })
    await open().deleteBelow('job_list')
    expect(asked[1]).toContain('start-after=job_list%2Fa')
  })

  test.each<[string, (number: number) => Answer, number]>([
    ['that is truncated and names no next page', () => page(true, null), 1],
    ['that names the same page again', () => page(true, 'same'), 2],
    ['that names the same key again', () => page(true, null, 'job_list/a'), 2],
    ['of empty pages only', (number) => page(true, `token-${number}`), 101],
  ])('%s ends in an error', async (_what, answer, requests) => {
    let lists = 0
    server.interfere((request, reply) => kindOf(request) === 'list' && answer(++lists)(request, reply))
    await expect(open().deleteBelow('job_list')).rejects.toThrow('S3 lists objects without an end.')
    expect(lists).toBe(requests)
  })
})
