import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openLog } from '../../../src/values/log.ts'
import { identityOf, MARK_VARIABLE } from '../../../src/worker/server/process-marks.ts'
import type { ServerSpec } from '../../../src/worker/server/server-file.ts'
import { ServerRecords } from '../../../src/worker/server/server-record.ts'
import { WorkerServer } from '../../../src/worker/server/worker-server.ts'
import { call } from '../../setup/http.ts'
import { parentOf, runs } from '../../setup/processes/process-tree.ts'
import { makeServerProgram, type ServerProgram } from '../../setup/servers/server-program.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const TIMES = { pollMs: 20, probeMs: 50, answerMs: 5_000, silenceMs: 20_000, backoffMs: 50, longestBackoffMs: 100 }
/** Only for a server that hangs: a busy machine may keep one from answering for so long. */
const IMPATIENT = { ...TIMES, answerMs: 300, silenceMs: 500 }

describe('a worker’s own server', () => {
  let program: ServerProgram
  const opened: WorkerServer[] = []
  const lost: string[] = []
  beforeEach(async () => {
    program = await makeServerProgram()
    lost.length = 0
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((server) => server.stop()))
    await program.remove()
  })

  const recordsAt = () => join(program.directory, 'servers')
  const recordNames = () => readdirSync(recordsAt()).filter((name) => name.endsWith('.json'))
  const open = async (changes: Partial<ServerSpec> = {}, times = TIMES) => {
    const server = new WorkerServer({
      spec: { ...program.spec, ...changes },
      environment: { PATH: process.env.PATH },
      records: new ServerRecords(recordsAt()),
      log: openLog('silent'),
      times,
      now: () => new Date(),
      gpus: () => [],
      onReady: () => undefined,
      neighbours: async () => ({ well: 0, pace: null }),
      onShed: () => undefined,
      onLost: (cause) => lost.push(cause),
    })
    opened.push(server)
    await server.start()
    return server
  }
  const ready = async (server: WorkerServer): Promise<string> => {
    await until(() => server.url !== null, TIMEOUT_MS, 'the server to be ready')
    return server.url as string
  }
  const speak = (url: string, input: string) =>
    call(`${url}/v1/audio/speech`, { method: 'POST', body: { input } }).catch(() => undefined)

  test('has no address before it is ready, sees its cards alone, and leaves nothing behind', async () => {
    program.set('hold')
    const server = await open({ gpus: [1, 3] })
    const { pid, port, gpus } = await program.started(1)
    expect(server.status).toMatchObject({ state: 'starting', restarts: 0, error: null })
    expect([server.url, gpus]).toEqual([null, '1,3'])
    program.set('hold', false)
    expect(await ready(server)).toBe(`http://127.0.0.1:${port}`)
    expect(server.status.state).toBe('ready')
    await server.stop()
    expect([runs(pid), recordNames(), lost]).toEqual([false, [], []])
  })

  test('that crashes is reported with its last lines, without what it was sent, and is started again', async () => {
    const server = await open()
    const url = await ready(server)
    server.noteSent(['CRASH confidential matter'])
    await speak(url, 'CRASH confidential matter')
    const second = await program.started(2)
    await ready(server)
    expect(server.status).toMatchObject({ state: 'ready', restarts: 1, error: lost[0] })
    expect(lost).toHaveLength(1)
    expect(lost[0]).toMatch(
      /it ended with exit code 3\. Its last lines:\n.*loaded\n.*OutOfMemoryError: no memory is left on GPU 0$/s,
    )
    expect(lost[0]).not.toMatch(/confidential|matter/)
    expect(runs(second.pid)).toBe(true)
  })

  test('that cannot start is tried again with growing pauses, its reason without the secrets that it was given', async () => {
    program.set('refuse')
    const server = await open({ env: { MODEL_TOKEN: 'hf_very_secret' } })
    await program.started(3)
    await until(() => server.status.state === 'failed', TIMEOUT_MS, 'the failure to be known')
    expect(server.status.error).toMatch(/exit code 1\. Its last lines:\nthe model is not there \(…\)$/)
    expect(lost).toEqual([])
    program.set('refuse', false)
    await ready(server)
    expect(server.status.restarts).toBeGreaterThanOrEqual(3)
  })

  test('that is not ready in time is ended and started again', async () => {
    program.set('hold')
    const server = await open({ startSeconds: 0.3 })
    await until(() => server.status.restarts > 0, TIMEOUT_MS, 'the server to be started again')
    expect(server.status.error).toMatch(/it was not ready within 0\.3 s \(GET \/health\)/)
    await server.stop()
    expect(program.starts().filter(({ pid }) => runs(pid))).toEqual([])
  })

  test('that hangs is put aside, ended and started again', async () => {
    const server = await open({}, IMPATIENT)
    const { pid } = await program.started(1)
    void speak(await ready(server), 'HANG')
    await program.started(2)
    expect(lost).toEqual([expect.stringMatching(/it has not answered for 1 s \(GET \/health\)/)])
    expect(runs(pid)).toBe(false)
  })

  test('that leaves processes behind has them ended before it is started again', async () => {
    const server = await open()
    await speak(await ready(server), 'LEAK')
    await program.started(2)
    expect(program.leaked()).toHaveLength(1)
    expect(program.leaked().filter(runs)).toEqual([])
  })

  test('whose launcher is killed is ended and started again', async () => {
    const server = await open()
    const { pid } = await program.started(1)
    await ready(server)
    process.kill(parentOf(pid), 'SIGKILL')
    await program.started(2)
    expect(runs(pid)).toBe(false)
    expect(lost[0]).toMatch(/the process that ran it was killed/)
  })

  test('of a worker that was killed is ended by the next start, and nothing else that has one of its numbers', async () => {
    const [mark, living] = [randomUUID(), randomUUID()]
    const start = (env: object) =>
      spawn(process.execPath, ['-e', 'console.log(1);setTimeout(() => undefined, 600_000)'], {
        env: { ...env },
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      })
    const orphan = start({ [MARK_VARIABLE]: mark })
    const bystander = start({})
    const owned = start({ [MARK_VARIABLE]: living })
    await Promise.all([orphan, bystander, owned].map((child) => once(child.stdout, 'data')))
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const gone = { pid: process.pid, startedAt: '1' }
    const note = (name: string, record: object) => writeFileSync(join(recordsAt(), name), JSON.stringify(record))
    mkdirSync(recordsAt())
    // Its worker's number is another process's by now, and so is the server's.
    const reused = { pid: bystander.pid, startedAt: '1' }
    note(`${mark}.json`, { host: hostname(), boot, worker: gone, server: reused })
    note(`${living}.json`, { host: hostname(), boot, worker: identityOf(process.pid), server: null })
    note(`${randomUUID()}.json`, { host: hostname(), boot: 'earlier', worker: identityOf(process.pid), server: reused })
    note(`${randomUUID()}.json`, {})
    await open()
    expect([orphan, bystander, owned].map(({ pid }) => runs(pid as number))).toEqual([false, true, true])
    for (const child of [bystander, owned]) child.kill('SIGKILL')
  })
})
