import { glob, readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { Servers } from '../../src/db/connections/servers.ts'
import type { Notifier } from '../../src/db/notifier.ts'
import { openNotifier } from '../../src/db/postgres-notifier.ts'
import { openLog } from '../../src/values/log.ts'

const log = openLog('silent')
let open: Notifier[]
let admin: Client

const connect = async (ensure?: () => Promise<void>) => {
  const notifier = await openNotifier(new Servers([inject('databaseUrl')]), log, ensure === undefined ? {} : { ensure })
  open.push(notifier)
  return notifier
}
/** Other files' services share the server, each with a database of its own. */
const OURS = `from pg_stat_activity where application_name = 'sonant notifier' and datname = current_database()`
const terminateAll = async () => (await admin.query(`select pg_terminate_backend(pid) ${OURS}`)).rowCount
/** PostgreSQL ends a connection a moment after its client has. */
const noneLeft = async () => (await admin.query(`select 1 ${OURS}`)).rowCount === 0

const warnings: string[] = []
process.on('warning', ({ message }) => warnings.push(message))

describe('notifier', () => {
  beforeEach(async () => {
    open = []
    admin = new Client({ connectionString: inject('databaseUrl') })
    await admin.connect()
  })
  afterEach(async () => {
    await Promise.all(open.map((notifier) => notifier.close()))
    await expect.poll(noneLeft).toBe(true)
    await admin.end()
  })

  test('a message reaches every listener of its channel, in other processes and in this one, and no other', async () => {
    const [one, two] = [await connect(), await connect()]
    const heard: string[] = []
    await one.listen('Jobs "of" ALL', (payload) => heard.push(`one ${payload}`))
    await two.listen('Jobs "of" ALL', (payload) => heard.push(`two ${payload}`))
    await two.listen('other', (payload) => heard.push(`other ${payload}`))
    await one.notify('Jobs "of" ALL', 'job_1')
    await expect.poll(() => heard.length).toBe(2)
    expect(heard.sort()).toEqual(['one job_1', 'two job_1'])
  })

  test('a message from SQL is heard, and one without a payload is empty text', async () => {
    const notifier = await connect()
    const heard: string[] = []
    await notifier.listen('sql', (payload) => heard.push(payload))
    await admin.query(`select pg_notify('sql', 'x')`)
    await admin.query('notify sql')
    await expect.poll(() => heard.length).toBe(2)
    expect(heard).toEqual(['x', ''])
  })

  test('its connection stays, however short a session of its role may be idle', async () => {
    const limited = new URL(inject('databaseUrl'))
    limited.searchParams.set('options', '-c idle_session_timeout=200')
    open.push(await openNotifier(new Servers([limited.href]), log))
    const idle = async () => (await admin.query(`select ${OURS} and state_change < now() - interval '600 ms'`)).rowCount
    await expect.poll(idle, { timeout: 10_000 }).toBe(1)
  })

  test('its messages wait for no disk, also after a reconnection', async () => {
    const clients: Client[] = []
    class Watched extends Servers {
      override async connect(options: Parameters<Servers['connect']>[0]) {
        const client = await super.connect(options)
        clients.push(client)
        return client
      }
    }
    const notifier = await openNotifier(new Watched([inject('databaseUrl')]), log)
    open.push(notifier)
    await terminateAll()
    await expect.poll(() => clients.length > 1 && notifier.connected, { timeout: 10_000 }).toBe(true)
    expect((await clients.at(-1)!.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'off' }])
  })

  test('no statement but the notifier’s notifies, except for rare changes of the catalog', async () => {
    const notifying: string[] = []
    for await (const file of glob('src/**/*.{ts,sql}'))
      if (/pg_notify\(|\bnotify [a-z_]+'|'notify /.test(await readFile(file, 'utf8'))) notifying.push(file)
    expect(notifying.sort()).toEqual([
      'src/catalog/change-catalog.ts',
      'src/db/postgres-notifier.ts',
      'src/doctor/check-server.ts',
    ])
  })

  test('the last to leave a channel ends its LISTEN, and a newcomer starts it again', async () => {
    const notifier = await connect()
    const heard: string[] = []
    const leaveFirst = await notifier.listen('shared', () => heard.push('first'))
    const leaveSecond = await notifier.listen('shared', () => heard.push('second'))
    leaveFirst()
    await notifier.notify('shared')
    await expect.poll(() => heard.length).toBe(1)
    leaveSecond()
    leaveSecond()
    await notifier.listen('shared', () => heard.push('third'))
    await notifier.notify('shared')
    await expect.poll(() => heard.length).toBe(2)
    expect(heard).toEqual(['second', 'third'])
  })

  test('a lost connection is replaced, listeners resync and hear again', async () => {
    const ensure = vi.fn(async () => undefined)
    const notifier = await connect(ensure)
    const heard: string[] = []
    const resync = vi.fn()
    await notifier.listen('a', (payload) => heard.push(payload), resync)
    expect(await terminateAll()).toBe(1)
    await expect.poll(() => resync.mock.calls.length).toBe(1)
    expect(ensure).toHaveBeenCalled()
    await notifier.notify('a', 'after')
    await expect.poll(() => heard.length).toBe(1)
  })

  test('messages and listeners that come while the connection is down are served when it is back', async () => {
    let up = true
    const notifier = await connect(async () => {
      if (!up) throw new Error('down')
    })
    const heard: string[] = []
    const resync = vi.fn()
    await notifier.listen('early', (payload) => heard.push(payload), resync)
    up = false
    await terminateAll()
    await expect.poll(noneLeft).toBe(true)
    const late = notifier.listen('late', (payload) => heard.push(payload))
    const sent = notifier.notify('early', 'waited')
    up = true
    await Promise.all([late, sent])
    await notifier.notify('late', 'new')
    await expect.poll(() => heard.length).toBe(2)
    expect(heard).toEqual(['waited', 'new'])
  })

  test('a handler that throws harms neither the others nor the process', async () => {
    const notifier = await connect()
    const heard: string[] = []
    await notifier.listen('b', () => {
      throw new Error('broken handler')
    })
    await notifier.listen('b', (payload) => heard.push(payload))
    await notifier.notify('b', '1')
    await notifier.notify('b', '2')
    await expect.poll(() => heard.length).toBe(2)
  })

  test('equal messages that wait together are sent once', async () => {
    const notifier = await connect()
    const heard: string[] = []
    await notifier.listen('c', (payload) => heard.push(payload))
    await Promise.all(Array.from({ length: 500 }, () => notifier.notify('c', 'same')))
    await notifier.notify('c', 'end')
    await expect.poll(() => heard).toContain('end')
    expect(heard).toEqual(['same', 'end'])
  })

  test('messages of one turn go out in one statement, and so in one commit', async () => {
    const notifier = await connect()
    const query = vi.spyOn(Client.prototype, 'query')
    await Promise.all(Array.from({ length: 100 }, (_, index) => notifier.notify('together', `${index}`)))
    expect(query).toHaveBeenCalledOnce()
    query.mockRestore()
  })

  test('what PostgreSQL would cut or refuse is refused at once', async () => {
    const notifier = await connect()
    await expect(notifier.notify('x', 'é'.repeat(4000))).rejects.toThrow(RangeError)
    await expect(notifier.listen('x'.repeat(64), () => undefined)).rejects.toThrow(RangeError)
    await expect(notifier.notify('x', 'x'.repeat(7999))).resolves.toBeUndefined()
  })

  test('a message sent just before closing still goes out', async () => {
    const [one, two] = [await connect(), await connect()]
    const heard: string[] = []
    await two.listen('d', (payload) => heard.push(payload))
    void one.notify('d', 'last words')
    void one.notify('d', 'really')
    await one.close()
    await expect.poll(() => heard.length).toBe(2)
  })

  test('its connection is asked one thing after the other', async () => {
    const notifier = await connect()
    const heard: string[] = []
    const listening = ['e', 'f', 'g'].map((channel) => notifier.listen(channel, (payload) => heard.push(payload)))
    const sent = Array.from({ length: 5 }, (_nothing, number) => notifier.notify('h', String(number)))
    const [unlisten] = await Promise.all([...listening, ...sent])
    const more = notifier.listen('h', () => undefined)
    if (typeof unlisten === 'function') unlisten()
    await Promise.all([more, notifier.notify('f', 'heard')])
    await expect.poll(() => heard.length).toBe(1)
    // pg tells once in a process of a query that was sent while another one ran.
    expect(warnings).toEqual([])
  })
})
