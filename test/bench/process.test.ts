import { expect, test } from 'vitest'
import { launch, stopLaunched } from '../../bench/process.ts'

const FOREVER = ['-e', `process.stdout.write('up\\n'); setInterval(() => undefined, 1000)`]

test('all that was launched stops at once, also what is not ready', async () => {
  const ready = await launch(FOREVER, {}, /^up/)
  const starting = launch(FOREVER, {}, /^never/)
  await Promise.all([expect(starting).rejects.toThrow('ended with'), stopLaunched()])
  expect(() => process.kill(ready.pid, 0)).toThrow('ESRCH')
})
