import { Pool } from 'undici'

// The same signed bytes as fast as undici posts them, over as many kept-alive connections as the service uses for one receiver.

const { RECEIVER_URL, COUNT, CONNECTIONS, BODY } = process.env
const pool = new Pool(RECEIVER_URL!, { connections: Number(CONNECTIONS), allowH2: false })
const headers = {
  'content-type': 'application/json',
  'webhook-timestamp': '1700000000',
  'webhook-signature': `v1,${'A'.repeat(43)}=`,
}
let next = 0

async function connection(): Promise<void> {
  while (next < Number(COUNT)) {
    const id = `msg_floor_${next++}`
    const { body } = await pool.request({
      method: 'POST',
      path: '/hook',
      headers: { ...headers, 'webhook-id': id },
      body: BODY!,
    })
    await body.dump()
  }
}

await Promise.all(Array.from({ length: Number(CONNECTIONS) }, connection))
await pool.close()
process.stdout.write('ready\n')
