import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'

const TEXTS = [
  'half of a sen',
  ...Array<string>(4).fill('A whole sentence. '),
  '',
  ' ',
  '… ',
  '<speak>',
  '\ud800',
  '🎉'.repeat(50),
  'x'.repeat(5000),
]
const ODD: readonly unknown[] = [null, 0, -1, 1e99, true, [], {}, 'text', [['a']], { text: 'A' }]
const FIELDS = ['text', 'flush', 'context_id', 'close_context', 'close_socket', 'clear', 'voice_settings', 'xi_api_key']
const QUERIES = ['', '?output_format=pcm_16000', '?auto_mode=true', '?inactivity_timeout=1', '?output_format=nonsense']
/** These bytes are a frame with a wrong opcode, a fragment without its rest, a length that never comes, and a frame without a mask. */
const FRAMES = [
  [0x83, 0x80, 0, 0, 0, 0],
  [0x01, 0x81, 0, 0, 0, 0, 0x7b],
  [0x81, 0xff, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0],
  [0x81, 0x02, 0x7b, 0x7d],
  [0xc1, 0x80, 0, 0, 0, 0],
]

export type Random = () => number

/** Numbers from 0 to 1 that are the same for the same seed. */
export function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** Opens a connection for a text, sends what no client would, and leaves it in any way, or waits until the service has. */
export async function sendGarbage(url: string, voice: string, key: string, random: Random): Promise<void> {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const path = `${voice}/${pick(['', 'multi-'])}stream-input${pick(QUERIES)}`
  const headers = random() < 0.8 ? { 'xi-api-key': key } : {}
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/text-to-speech/${path}`, { headers })
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  if (random() < 0.05) socket.terminate()
  await Promise.race([once(socket, 'open').catch(() => undefined), closed])
  for (let left = Math.floor(random() * 8); left > 0 && socket.readyState === WebSocket.OPEN; left--) {
    socket.send(messageOf(pick, random))
    if (random() < 0.3) await wait(random() * 20)
  }
  if (socket.readyState === WebSocket.OPEN) leave(socket, pick, random)
  const gone = setTimeout(() => socket.terminate(), 1000)
  await closed
  clearTimeout(gone)
}

function messageOf(pick: <Item>(items: readonly Item[]) => Item, random: Random): string | Buffer {
  const usual = { text: pick(TEXTS), ...(random() < 0.5 && { context_id: pick(['a', 'b', 'c']) }) }
  const roll = random()
  if (roll < 0.5) return JSON.stringify({ ...usual, ...(random() < 0.3 && { [pick(FIELDS.slice(1, 6))]: true }) })
  if (roll < 0.7) return JSON.stringify({ ...usual, [pick(FIELDS)]: pick(ODD) })
  if (roll < 0.8) return JSON.stringify(pick(ODD))
  const whole = JSON.stringify(usual)
  return roll < 0.9 ? whole.slice(0, Math.floor(random() * whole.length)) : Buffer.from([0, 255, 1, 254])
}

function leave(socket: WebSocket, pick: <Item>(items: readonly Item[]) => Item, random: Random): void {
  const roll = random()
  const { _socket: raw } = socket as unknown as { _socket?: { write(bytes: Buffer): void } }
  if (roll < 0.4) socket.terminate()
  else if (roll < 0.6) socket.close(pick([1000, 1001, 3000]))
  else if (roll < 0.9) raw?.write(Buffer.from(pick(FRAMES)))
}
