import { expect, test, vi } from 'vitest'
import { Standby } from '../../../src/db/connections/standby.ts'
import { openLog } from '../../../src/values/log.ts'
import { until } from '../../setup/wait.ts'

const AWAY = 'it is away'

test('no read waits for the next attempt at a standby that is away', async () => {
  const attempt = Promise.withResolvers<never>()
  const open = vi.fn().mockRejectedValueOnce(new Error(AWAY)).mockReturnValueOnce(attempt.promise)
  const primary = { query: vi.fn(), end: async () => undefined } as never
  const standby = new Standby({ log: openLog('silent'), primary, open })
  expect(await standby.reason()).toBe(AWAY)
  await until(() => open.mock.calls.length === 2, 30_000, 'the next attempt')
  expect([await standby.client(), await standby.connect({}), await standby.reason()]).toEqual([null, null, AWAY])
  attempt.reject(new Error('it still is'))
  await standby.close()
})
