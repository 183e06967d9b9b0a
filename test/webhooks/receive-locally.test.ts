import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect, test } from 'vitest'
import { startReceiver } from '../../src/webhooks/receive-locally.ts'

test('a receiver closes without the two minutes that a handshake may take', { timeout: 60_000 }, async () => {
  // Nothing is received, so that nothing is asked of its owner.
  const receiver = await startReceiver({} as Parameters<typeof startReceiver>[0], 0, () => undefined)
  const bare = connect(receiver.port, '127.0.0.1')
  const encrypted = connectTls({ port: receiver.port, host: '127.0.0.1', ca: receiver.certificate })
  await Promise.all([once(bare, 'connect'), once(encrypted, 'secureConnect')])
  const ended = [bare, encrypted].map((socket) =>
    once(
      socket.on('error', () => undefined),
      'close',
    ),
  )
  await receiver.close()
  await Promise.all(ended)
  expect([bare.destroyed, encrypted.destroyed]).toEqual([true, true])
})
