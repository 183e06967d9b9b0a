import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { AccountActor } from '../access/actor.ts'
import type { Context } from '../context/context.ts'
import { inTransaction } from '../db/database.ts'
import { LOOPBACK } from '../egress/ip-ranges.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'
import { type SigningParts, signingSecrets, verifyDelivery } from './signing.ts'

const MAX_BODY_BYTES = 1_048_576
const CERTIFICATE_MS = 86_400_000
const IP_ADDRESS = 7

type Owner = Context & SigningParts & { readonly actor: AccountActor }

export interface Delivery {
  readonly id: string | null
  readonly valid: boolean
  readonly problems: readonly string[]
  readonly body: unknown
}

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly certificate: string
  close(): Promise<void>
}

/**
 * Checks each delivery with the account's current secrets; answers 204 if valid, else 400.
 * @throws INVALID_REQUEST if the port is taken
 */
export async function startReceiver(
  owner: Owner,
  port: number,
  onDelivery: (delivery: Delivery) => void,
): Promise<Receiver> {
  const { key, certificate } = await makeCertificate()
  const server = createServer({ key, cert: certificate }, (request, response) => {
    receive(owner, request).then(
      (delivery) => {
        onDelivery(delivery)
        response.writeHead(delivery.valid ? 204 : 400).end()
      },
      () => response.destroy(),
    )
  })
  // The HTTPS server lists a connection only after its handshake.
  const connections = new Set<Duplex>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.on('tlsClientError', () => undefined)
  server.listen(port, LOOPBACK)
  await once(server, 'listening').catch((error: unknown) => {
    throw invalidRequest(`Port ${port} cannot be used (${errorCode(error)}): choose another with --port.`)
  })
  const bound = (server.address() as AddressInfo).port
  return {
    url: `https://${LOOPBACK}:${bound}/`,
    port: bound,
    certificate,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of connections) socket.destroy()
      await closed
    },
  }
}

async function makeCertificate(): Promise<{ key: string; certificate: string }> {
  const { generate } = await import('selfsigned')
  const made = await generate([{ name: 'commonName', value: 'Sonant webhooks listen' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + CERTIFICATE_MS),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: IP_ADDRESS, ip: LOOPBACK }] }],
  })
  return { key: made.private, certificate: made.cert }
}

async function receive(owner: Owner, request: IncomingMessage): Promise<Delivery> {
  const body = await readBody(request)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const { secrets } = await inTransaction(owner.db, (tx) => signingSecrets(owner, tx, owner.actor.accountId))
  const checks = secrets.map((secret) => verifyDelivery({ headers, body }, secret, owner.now()))
  const { id, valid, problems } = checks.find((check) => check.valid) ?? checks[0]!
  return { id, valid, problems, body: parsed(body) }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) throw new Error('the body is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return body.toString()
  }
}
