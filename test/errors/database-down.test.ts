import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isDatabaseDown } from '../../src/errors/outages.ts'
import { type Door, startDoor } from '../setup/service/start-rest.ts'

const failing = (fields: object, message = 'failed') => Object.assign(new Error(message), fields)

/** A pool's `connect`, as code calls it that waits for it by a callback. */
const refusing = (error: Error) => (done: (error: Error) => void) => done(error)

describe('a database that cannot be talked to', () => {
  it.each<[string, unknown]>([
    ['a refused connection', failing({ code: 'ECONNREFUSED', syscall: 'connect' })],
    ['a missing socket', failing({ code: 'ENOENT', syscall: 'connect' })],
    ['several refused addresses', new AggregateError([failing({ code: 'ECONNREFUSED' })])],
    ['a name that no server resolves', failing({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
    ['a name server that does not answer', failing({ code: 'EAI_AGAIN', syscall: 'getaddrinfo' })],
    ['a shutdown', failing({ code: '57P01', severity: 'FATAL' })],
    ['a start', failing({ code: '57P03' })],
    ['too many connections', failing({ code: '53300' })],
    ['a full disk', failing({ code: '53100' })],
    ['too little memory', failing({ code: '53200' })],
    ['a limit of its own', failing({ code: '53400' })],
    ['a disk that fails', failing({ code: '58030' })],
    ['a server that takes no writes', failing({ code: '25006' })],
    ['a time limit', failing({ code: '57014' })],
    ['a time limit of transactions', failing({ code: '25P04', severity: 'FATAL' })],
    ['a lock that is not had in time', failing({ code: '55P03' })],
    ['a conflict of transactions', failing({ code: '40001' })],
    ['a deadlock', failing({ code: '40P01' })],
    ['Prisma in a conflict of transactions', failing({ code: 'P2034' })],
    [
      'Prisma on a full disk',
      failing({ name: 'DriverAdapterError', cause: { kind: 'postgres', originalCode: '53100' } }),
    ],
    [
      'a raw statement of Prisma on a full disk',
      failing({ code: 'P2010', meta: { driverAdapterError: failing({ cause: { originalCode: '53100' } }) } }),
    ],
    [
      'a transaction of Prisma that finds no connection',
      failing({ code: 'P2028' }, 'Transaction API error: Unable to start a transaction in the given time.'),
    ],
    [
      'a transaction of Prisma that a lock keeps waiting',
      failing({ code: 'P2028' }, 'Transaction API error: A query cannot be executed on an expired transaction. …'),
    ],
    ['a broken connection', failing({ code: '08006' })],
    ['a cut connection', new Error('Connection terminated unexpectedly')],
    ['a full pool', new Error('timeout exceeded when trying to connect')],
    ['a wrapped one', new Error('outer', { cause: failing({ kind: 'DatabaseNotReachable' }) })],
    ['Prisma without a server', failing({ code: 'P1001' })],
  ])('is known by %s', (_title, error) => {
    expect(isDatabaseDown(error)).toBe(true)
  })

  it.each<[string, unknown]>([
    ['a missing file', failing({ code: 'ENOENT', syscall: 'open' })],
    ['a duplicate', failing({ code: '23505' })],
    ['a transaction of Prisma that is used after its end', failing({ code: 'P2028' }, 'Transaction already closed')],
    ['a violation', new TypeError('x is not a function')],
    ['nothing', undefined],
  ])('is not known by %s', (_title, error) => {
    expect(isDatabaseDown(error)).toBe(false)
  })
})

describe('a service without its database', () => {
  let door: Door
  beforeAll(async () => {
    door = await startDoor()
  })
  afterAll(() => door.close())

  it('answers 503 with Retry-After, and goes on serving the catalog', async () => {
    const key = await door.createKey()
    const { pool } = door.runtime.db
    const connect = pool.connect
    pool.connect = refusing(failing({ code: 'ECONNREFUSED', syscall: 'connect' })) as typeof connect
    try {
      for (const path of ['/api/v1/voice/tts/voices', '/health/ready']) {
        const response = await fetch(door.url + path, { headers: { authorization: `Bearer ${key}` } })
        expect(response.status).toBe(503)
        expect(response.headers.get('retry-after')).toBe('1')
        const body = (await response.json()) as object
        const parts = path === '/health/ready' ? { status: 'unready', database: 'away', bus: 'ok', catalog: 'ok' } : {}
        expect(body).toMatchObject({ error: 'Try again in a moment.', error_code: 'UNAVAILABLE', ...parts })
      }
      expect((await fetch(`${door.url}/health/live`)).status).toBe(200)
      expect((await fetch(`${door.url}/api/v1/public/voice`)).status).toBe(200)
    } finally {
      pool.connect = connect
    }
  })

  it('answers an unforeseen exception with 500 and logs where, not what', async () => {
    const key = await door.createKey()
    const { pool } = door.runtime.db
    const connect = pool.connect
    const logged: object[] = []
    const { log } = door.runtime
    const error = log.error
    log.error = ((entry: object) => logged.push(entry)) as unknown as typeof error
    pool.connect = refusing(failing({ code: '22000', severity: 'ERROR' }, 'row holds a secret')) as typeof connect
    try {
      const headers = { authorization: `Bearer ${key}`, 'x-request-id': 'trace-1' }
      const response = await fetch(`${door.url}/api/v1/voice/tts/voices`, { headers })
      expect(response.status).toBe(500)
      expect(((await response.json()) as { error_code: string }).error_code).toBe('INTERNAL_ERROR')
      expect(logged).toEqual([expect.objectContaining({ requestId: 'trace-1', code: '22000' })])
      expect(JSON.stringify(logged)).not.toContain('secret')
    } finally {
      pool.connect = connect
      log.error = error
    }
  })
})
