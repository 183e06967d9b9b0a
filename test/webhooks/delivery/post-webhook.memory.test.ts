import { expect, test } from 'vitest'
import { openPoster } from '../../../src/webhooks/delivery/post-webhook.ts'
import { heapGrowth } from '../../setup/load/heap-growth.ts'

test('receivers are remembered in bounded memory, however many URLs there are', async () => {
  const guard = { resolver: { resolve: async () => [] }, egressAllow: [] }
  const { post, close } = openPoster(guard)
  const headers = { id: 'msg_1', timestamp: '1700000000', signature: 'v1,sig' }
  const attempt = { deliveryId: 'msg_1', accountId: 'acct', headers, body: Buffer.alloc(0), round: 1, number: 1 }
  const grown = await heapGrowth(async () => {
    for (let n = 0; n < 20_000; n++) {
      const url = `https://10.0.0.1/${n}/${'x'.repeat(1000)}`
      const { outcome } = await post({ ...attempt, url }, new AbortController().signal)
      if (outcome !== 'address_refused') throw new Error(outcome)
    }
  })
  await close()
  // All of them would take five times as much.
  expect(grown).toBeLessThan(8 * 2 ** 20)
})
