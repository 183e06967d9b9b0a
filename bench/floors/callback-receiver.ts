import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

// A receiver that does nothing but note when each delivery came. `/hang` never answers; GET `/arrivals` tells and forgets.

export interface Arrival {
  readonly id: string
  readonly jobId: string
  /** Milliseconds since 1970, with fractions. */
  readonly at: number
}

const { KEY_FILE, CERT_FILE } = process.env
const pair = { key: readFileSync(KEY_FILE!), cert: readFileSync(CERT_FILE!) }
let arrivals: Arrival[] = []

const server = createServer({ ...pair, keepAliveTimeout: 60_000 }, (request, response) => {
  const at = performance.timeOrigin + performance.now()
  if (request.method === 'GET') {
    response.end(JSON.stringify(arrivals))
    arrivals = []
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.url === '/hang') return
    const jobId = /"job_id":"([^"]+)"/.exec(Buffer.concat(chunks).toString())?.[1] ?? ''
    arrivals.push({ id: String(request.headers['webhook-id']), jobId, at })
    response.writeHead(204).end()
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready https://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
