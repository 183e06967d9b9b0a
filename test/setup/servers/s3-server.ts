import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { signatureFault } from './s3-signature.ts'

const BUCKET = 'artifacts'
/** The only credentials that s3rver knows. */
export const S3_CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

/** Returns true if it answers the request itself. */
export type S3Fault = (request: IncomingMessage, reply: ServerResponse) => boolean

/** The bucket does what it was asked, and nobody learns of it. */
export function loseAnswer(_request: IncomingMessage, reply: ServerResponse): false {
  reply.write = () => true
  reply.end = () => reply.destroy()
  return false
}

export interface S3Server {
  /** The value for STORAGE_URL. */
  readonly storageUrl: string
  /** Everything that a process needs in its environment. */
  readonly env: Readonly<Record<string, string>>
  /** Bodies that it has taken so far, whole objects and parts of them. */
  readonly uploads: () => number
  /** Asked before every request; one that it answers itself never comes to the bucket. null: nothing is in the way. */
  interfere(fault: S3Fault | null): void
  /** From now on every connection is cut, open ones included. */
  goAway(): void
  /** At the same place as before, with all that it had. */
  comeBack(): void
  /** Connections that were cut while it was away. */
  readonly knocks: () => number
  close(): Promise<void>
}

/** s3rver with one empty bucket, behind a check of every signature and its age. */
export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-s3-'))
  const s3 = new S3rver({ silent: true, directory, configureBuckets: [{ name: BUCKET, configs: [] }] })
  await s3.configureBuckets()
  const answer = s3.callback()
  const { accessKeyId, secretAccessKey } = S3_CREDENTIALS
  let uploads = 0
  let interfering: S3Fault | null = null
  const server = createServer((request, reply) => {
    if (request.method === 'PUT') request.once('end', () => uploads++)
    const { method = '', url: target = '', headers } = request
    const fault = signatureFault({ method, target, headers }, accessKeyId, secretAccessKey, new Date())
    if (interfering?.(request, reply) === true) return void request.resume()
    if (fault === null) return void answer(request, reply)
    request.resume()
    reply.writeHead(403, { 'content-type': 'application/xml' }).end(`<Error><Code>${fault}</Code></Error>`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const storageUrl = `s3://${BUCKET}?endpoint=http://127.0.0.1:${port}&region=us-east-1`
  let [isAway, knocks] = [false, 0]
  server.on('connection', (socket) => {
    if (!isAway) return
    knocks++
    socket.on('error', () => undefined).destroy()
  })
  return {
    storageUrl,
    knocks: () => knocks,
    goAway: () => {
      isAway = true
      server.closeAllConnections()
    },
    comeBack: () => {
      isAway = false
    },
    uploads: () => uploads,
    interfere: (fault) => {
      interfering = fault
    },
    env: { STORAGE_URL: storageUrl, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(directory, { recursive: true, force: true })
    },
  }
}
