import { createServer } from 'node:net'
import { request } from 'undici'

export type Call = { method?: string; key?: string; headers?: Record<string, string>; body?: unknown; type?: string }
export type Reply = { status: number; headers: Record<string, string>; bytes: Buffer; text: string; json: <T>() => T }

/** One HTTP exchange. A body that is no string or Buffer goes out as JSON. */
export const call = async (url: string, { method = 'GET', key, headers, body, type }: Call = {}): Promise<Reply> => {
  const payload = body === undefined || typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body)
  const sent: Record<string, string> = { ...headers }
  if (key !== undefined) sent.authorization = `Bearer ${key}`
  if (payload !== undefined && type !== 'none') sent['content-type'] = type ?? 'application/json'
  const reply = await request(url, { method, headers: sent, body: payload ?? null })
  const bytes = Buffer.from(await reply.body.arrayBuffer())
  const received = Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]))
  const text = bytes.toString()
  return { status: reply.statusCode, headers: received, bytes, text, json: <T>() => JSON.parse(text) as T }
}

/**
 * Below the ports that the system gives to connections and to `listen(0)`: one that is closed for a while is not given away.
 * Each process of the test runner has its own slice.
 */
const FIRST_PORT = 21_000
const PORTS_A_PROCESS = 2_000
const SLICES = 5

const slice = FIRST_PORT + (Number(process.env.VITEST_POOL_ID ?? 0) % SLICES) * PORTS_A_PROCESS
let tried = Math.floor(Math.random() * PORTS_A_PROCESS)

/** Ports on which nothing listens, all different, and none that an earlier call of this process gave. */
export const freePorts = async (count: number): Promise<number[]> => {
  const ports: number[] = []
  while (ports.length < count) {
    const port = slice + (tried++ % PORTS_A_PROCESS)
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
