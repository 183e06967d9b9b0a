import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { freePort } from '../environment.ts'
import { AT_ONCE, type Peer, type PeerOptions, type Work } from './peer.ts'

// bullmq-proxy by plain HTTP as its documentation describes it: jobs go in by POST /queues/bench/jobs; a worker made by POST /workers has the
// proxy POST each job to an address of this process. It runs in Bun, next to a Redis of its own that flushes every write, as PostgreSQL
// flushes every commit, and has what the Redis of an earlier process wrote to the same FILES_DIR.

const QUEUE = 'bench'
const TOKEN = 'bench'
const READY_DEADLINE_MS = 20_000
const WORK_TIMEOUT_MS = 60_000
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

export async function bullmqProxy({ jobs }: PeerOptions): Promise<Peer> {
  const [redisPort, port] = [await freePort(), await freePort()]
  const durable = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always', '--dir', process.env.FILES_DIR!]
  const redis = begin('redis-server', ['--port', String(redisPort), '--bind', '127.0.0.1', ...durable], {})
  const addresses = { REDIS_HOST: '127.0.0.1', REDIS_PORT: String(redisPort), PORT: String(port) }
  const proxy = begin('bun', ['src/index.ts'], { ...addresses, AUTH_TOKENS: TOKEN }, process.env.PROXY_DIR)
  const url = `http://127.0.0.1:${port}`
  await untilAnswered(url)
  return {
    // Redis knows nothing of the transaction: a job whose row is not committed in the end would be in the queue all the same.
    add: (jobId) => send('POST', `${url}/queues/${QUEUE}/jobs`, [{ name: 'speak', data: { jobId } }]),
    drain: (work) => drain(url, jobs, work),
    close: async () => {
      for (const child of [proxy, redis]) await end(child)
    },
  }
}

async function drain(url: string, jobs: number, work: Work): Promise<void> {
  const done = Promise.withResolvers<void>()
  let left = jobs
  const server = createServer(async (asked, answer) => {
    const { job } = JSON.parse(await textOf(asked)) as { job: { data: { jobId: string } } }
    await work(job.data.jobId)
    answer.writeHead(200, { 'content-type': 'application/json' }).end('"done"')
    if (--left === 0) done.resolve()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await send('POST', `${url}/workers`, {
    queue: QUEUE,
    endpoint: { url: address, method: 'post', timeout: WORK_TIMEOUT_MS },
    opts: { concurrency: AT_ONCE, removeOnComplete: { count: 0 } },
  })
  await done.promise
  await send('DELETE', `${url}/workers/${QUEUE}`)
  server.close()
  server.closeIdleConnections()
}

async function send(method: 'POST' | 'DELETE', url: string, content?: object): Promise<void> {
  const options = { method, headers: HEADERS, ...(content !== undefined && { body: JSON.stringify(content) }) }
  const { statusCode, body } = await request(url, options)
  const answer = await body.text()
  if (statusCode !== 200) throw new Error(`bullmq-proxy answered ${statusCode}: ${answer}`)
}

async function textOf(asked: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of asked) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

async function untilAnswered(url: string): Promise<void> {
  const deadline = performance.now() + READY_DEADLINE_MS
  for (;;) {
    const answered = await request(url).then(
      async ({ body }) => body.dump().then(() => true),
      () => false,
    )
    if (answered) return
    if (performance.now() > deadline) throw new Error('bullmq-proxy did not start')
    await wait(50)
  }
}

/** Ends with this process at the latest. */
function begin(program: string, args: readonly string[], variables: Readonly<Record<string, string>>, cwd?: string) {
  const env = { ...process.env, ...variables }
  const child = spawn(program, args, { stdio: 'ignore', env, ...(cwd !== undefined && { cwd }) })
  const kill = () => child.kill('SIGKILL')
  child.once('error', (error) => {
    throw error
  })
  process.once('exit', kill).once('SIGTERM', () => process.exit(143))
  child.once('exit', () => process.off('exit', kill))
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}
