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

/** Ports that were free a moment ago, all different. */
export const freePorts = async (count: number): Promise<number[]> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
