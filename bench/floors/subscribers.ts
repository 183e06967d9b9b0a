import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from 'graphql-ws'
import pg from 'pg'
import { WebSocket } from 'ws'

// Dashboards that follow their accounts' jobs, each over a connection of graphql-ws's own client, and next to them a bare LISTEN. GET
// `/?marker=N&count=C` answers once C of them have heard of N, with the moment of each.

const { DATABASE_URL, SERVICE_URL, KEYS_FILE, CHANNEL, MORE_FIELDS = '' } = process.env
/** Connections that are opened at once. */
const OPENING = 20
/** Twelve fields and MORE_FIELDS; `chunksDone` is the marker. */
const QUERY = `subscription { jobsUpdated { id type endpointKey status isProhibited apiKeyId apiKeyName createdAt startedAt completedAt
  attempts ... on VoiceJob { chunksDone ${MORE_FIELDS} } } }`

interface Waiting {
  readonly count: number
  tell(): void
}

const keys = JSON.parse(readFileSync(KEYS_FILE!, 'utf8')) as string[]
const heard = new Map<number, number[]>()
const waiting = new Map<number, Waiting>()

function hear(marker: number): void {
  const at = performance.timeOrigin + performance.now()
  const moments = heard.get(marker) ?? []
  moments.push(at)
  heard.set(marker, moments)
  if (moments.length === waiting.get(marker)?.count) waiting.get(marker)?.tell()
}

/** With one subscriber less nothing that is measured afterwards would be true. */
function fail(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

/** Settles when the service has told the present state. */
function follow(key: string): Promise<void> {
  const client = createClient({
    url: `${SERVICE_URL!.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${key}` },
    retryAttempts: 0,
  })
  return new Promise((resolve) => {
    client.subscribe<{ jobsUpdated: { chunksDone: number } }>(
      { query: QUERY },
      {
        next: ({ data }) => {
          if (data) hear(data.jobsUpdated.chunksDone)
          resolve()
        },
        error: (error) => fail(error instanceof Error ? error.message : JSON.stringify(error)),
        complete: () => fail('a subscription ended'),
      },
    )
  })
}

const listener = new pg.Client({ connectionString: DATABASE_URL })
await listener.connect()
listener.on('notification', ({ payload }) => hear(Number(payload)))
await listener.query(`listen ${CHANNEL}`)
const left = [...keys]
const openNext = async (): Promise<void> => {
  for (let key = left.pop(); key !== undefined; key = left.pop()) await follow(key)
}
await Promise.all(Array.from({ length: OPENING }, openNext))

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
  const [marker, count] = [Number(searchParams.get('marker')), Number(searchParams.get('count'))]
  const tell = (): void => {
    response.end(JSON.stringify(heard.get(marker)))
    heard.delete(marker)
    waiting.delete(marker)
  }
  if ((heard.get(marker)?.length ?? 0) >= count) tell()
  else waiting.set(marker, { count, tell })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
