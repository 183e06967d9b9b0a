import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { Agent, request } from 'undici'
import type { Database, Environment, Service } from './environment.ts'
import type { Arrival } from './floors/callback-receiver.ts'
import type { Variables } from './process.ts'

const ARRIVAL_DEADLINE_MS = 120_000

/** Shared by the webhook rows: a TLS receiver in a second process, and the settings of a service that delivers to it. */
export interface WebhookFixture {
  readonly receiver: Service
  /** For the service and for the floors. */
  readonly variables: Variables
  readonly database: Database
  readonly client: Client
  /** Trusts the receiver. */
  readonly agent: Agent
  /** Waits for so many deliveries, and forgets them. */
  arrivals(count: number): Promise<Arrival[]>
  close(): Promise<void>
}

/** @param account whose deliveries they are; the environment's own unless given */
export async function openWebhookFixture(environment: Environment, account?: Database): Promise<WebhookFixture> {
  const directory = await environment.directory()
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
  execFileSync(
    'openssl',
    // Its own CA: the floors and the service trust it through the same variable.
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ${key} -out ${cert} -subj /CN=bench -days 2 -addext subjectAltName=IP:127.0.0.1`.split(
      ' ',
    ),
    { stdio: 'pipe' },
  )
  const database = account ?? (await environment.database())
  const receiver = await environment.floor('callback-receiver', { KEY_FILE: key, CERT_FILE: cert })
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const agent = new Agent({ connect: { ca: readFileSync(cert) } })
  return {
    receiver,
    database,
    client,
    agent,
    variables: { EGRESS_ALLOW: '127.0.0.0/8', NODE_EXTRA_CA_CERTS: cert },
    arrivals: (count) => collect(`${receiver.url}/arrivals`, agent, count),
    close: async () => {
      await Promise.all([client.end(), agent.close(), receiver.stop()])
    },
  }
}

async function collect(url: string, agent: Agent, count: number): Promise<Arrival[]> {
  const deadline = performance.now() + ARRIVAL_DEADLINE_MS
  const all: Arrival[] = []
  while (all.length < count) {
    if (performance.now() > deadline) throw new Error(`${count - all.length} of ${count} deliveries did not come`)
    const { body } = await request(url, { dispatcher: agent })
    all.push(...((await body.json()) as Arrival[]))
    if (all.length < count) await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return all
}
