// node receive.mjs: a receiver with nothing but Node. WEBHOOK_SECRET=whsec_… in its environment.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const secret = process.env.WEBHOOK_SECRET
if (!secret) {
  console.error('Set WEBHOOK_SECRET to the whsec_… that sonant webhooks rotate shows.')
  process.exit(2)
}
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

function isGenuine(headers, rawBody) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest('base64')
  const expected = Buffer.from(`v1,${mac}`)
  return signatures.split(' ').some((value) => {
    const given = Buffer.from(value)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

createServer(async (request, response) => {
  const chunks = []
  try {
    for await (const chunk of request) chunks.push(chunk)
  } catch {
    return // The sender closed the connection before the end of the body.
  }
  const rawBody = Buffer.concat(chunks)
  if (!isGenuine(request.headers, rawBody)) return response.writeHead(401).end()
  // A retry brings the same webhook-id: remember those that you have handled.
  const job = JSON.parse(rawBody)
  console.log(request.headers['webhook-id'], job.job_id, job.status)
  response.writeHead(204).end()
}).listen(Number(process.env.PORT ?? 8080), '127.0.0.1', function () {
  console.log(`listening on ${this.address().port}`)
})
