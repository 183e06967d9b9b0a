import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { call, freePorts } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { endCommands, startCommand } from '../../setup/processes/command.ts'
import { cleanUp, makeDataDir, makeTempDir, processesOf, startService } from '../../setup/processes/process.ts'
import { until } from '../../setup/wait.ts'

const DEADLINE_MS = 120_000
const ENDED_MS = 20_000

const place = async (dataDir?: string) => {
  dataDir ??= await makeDataDir()
  const [port] = await freePorts(1)
  return { dataDir, url: `http://127.0.0.1:${port}`, env: { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'info' } }
}

/** Every process on the directory is gone, and nothing listens any more. */
const nothingLeft = async (dataDir: string, url: string) => {
  await until(() => processesOf(dataDir).length === 0, ENDED_MS, 'PostgreSQL to end')
  await expect(call(`${url}/health/live`)).rejects.toThrow()
}

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

describe('the end of a service', { timeout: DEADLINE_MS }, () => {
  afterAll(async () => {
    endCommands()
    await cleanUp()
  })

  test.for([
    ['SIGTERM to npm alone', 'SIGTERM', false, ['npm', 'start']],
    ['Ctrl-C to npm and everything below it', 'SIGINT', true, ['npm', 'start']],
    ['SIGTERM to the shell between it and npx', 'SIGTERM', false, ['sh', '-c', 'node bin/sonant.js start; exit']],
  ] as const)('%s ends the service, PostgreSQL included, and cleanly', async ([, signal, whole, command]) => {
    const { dataDir, url, env } = await place()
    const npm = startCommand(command, command[0] === 'sh' ? { ...env, npm_command: 'exec' } : env)
    await npm.said('curl ')
    await until(async () => (await call(`${url}/health/ready`)).status === 200, ENDED_MS, 'readiness')
    expect(processesOf(dataDir).length).toBeGreaterThan(0)
    if (whole) npm.killGroup(signal)
    else npm.kill(signal)
    await npm.ended()
    await nothingLeft(dataDir, url)
    expect(npm.stderr().match(/"msg":"stopping"/g)).toHaveLength(1)
    expect(npm.stderr()).not.toContain('could not stop cleanly')
  })

  test('a signal during the first start ends it cleanly, with nothing half made left behind', async () => {
    const { dataDir, url, env } = await place(join(await makeTempDir(), 'data'))
    const service = startCommand(['node', 'bin/sonant.js', 'start'], env)
    // The database is being made at this moment.
    const making = () => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('postgres'))
    await until(making, ENDED_MS, 'a database in the making')
    service.kill('SIGTERM')
    expect(await service.ended()).toBe(0)
    await nothingLeft(dataDir, url)
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres.init-'))).toEqual([])
    expect(service.stdout()).not.toContain('listens')
  })

  test('a promise that fails unheard is logged, and does not end the service', async () => {
    const { url, env } = await place()
    const violation = `process.on('SIGUSR2', () => void Promise.reject(new Error('nobody heard this')))`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(violation)}`
    const service = startCommand(['node', 'bin/sonant.js', 'start'], { ...env, NODE_OPTIONS })
    await service.said('Sonant listens on')
    service.kill('SIGUSR2')
    await until(() => service.stderr().includes('nobody heard this'), ENDED_MS, 'the log line')
    expect((await call(`${url}/health/live`)).status).toBe(200)
    service.kill('SIGTERM')
    expect(await service.ended()).toBe(0)
  })

  test('a reader that stands still does not hold it beyond the grace time', async () => {
    const service = await startService({ env: { SHUTDOWN_SECONDS: '2' } })
    const voice = (await call(`${service.url}/api/v1/public/voice/tts`)).json<{ voices: { slug: string }[] }>()
      .voices[0]!
    const body = { inputs: { text: 'A sentence that takes a while to say. '.repeat(130), voice: voice.slug } }
    const made = await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key: service.key, body })
    const job = await finishedJob(service.url, service.key, made.json<{ job_id: string }>().job_id)
    const { port, pathname, search } = new URL(job.outputs!.audio)
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: a\r\n\r\n`)
    await once(socket, 'readable')
    expect(await service.stop()).toBe(0)
    socket.destroy()
    await nothingLeft(service.dataDir, service.url)
  })

  test('500 requests that want to leave HTTP leave the file descriptors where they were, and neither they nor a WebSocket peer that answers nothing hold it up', async () => {
    const service = await startService({ env: { SHUTDOWN_SECONDS: '40' } })
    const before = descriptorsOf(service.pid)
    const sockets = Array.from({ length: 500 }, (_, at) => {
      const wanted = ['foo', 'h2c', 'websocket'][at % 3]
      // It never hangs up by itself.
      const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', allowHalfOpen: true })
      socket.on('error', () => undefined).resume()
      socket.write(`GET /health/live HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: ${wanted}\r\n\r\n`)
      return socket
    })
    await Promise.all(sockets.map((socket) => once(socket, 'end')))
    await until(() => descriptorsOf(service.pid) <= before + 5, ENDED_MS, 'the descriptors to be given back')
    const peer = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await once(peer, 'open')
    const { _socket: stream } = peer as unknown as { _socket: Socket }
    stream.pause()
    const start = performance.now()
    expect(await service.stop()).toBe(0)
    expect(performance.now() - start).toBeLessThan(20_000)
    for (const socket of sockets) socket.destroy()
    peer.on('error', () => undefined).terminate()
    await nothingLeft(service.dataDir, service.url)
  })

  test('a database that stands still holds it no longer than a few seconds for each part', async () => {
    const service = await startService({ env: { SHUTDOWN_SECONDS: '1' } })
    const database = processesOf(service.dataDir).filter((pid) => pid !== service.pid)
    for (const pid of database) process.kill(pid, 'SIGSTOP')
    try {
      expect(await service.stop()).toBe(1)
      expect(service.stderr()).toContain('could not stop cleanly')
    } finally {
      for (const pid of database) process.kill(pid, 'SIGCONT')
    }
    await nothingLeft(service.dataDir, service.url)
  })
})
