import { expect, test } from 'vitest'
import { type RelayedPart, SpeechRelay } from '../../src/voice/speech-relay.ts'

const part = (index: number): RelayedPart => ({ attempt: 1, index, samples: new Int16Array(1), sampleRate: 8000 })

test('a part comes to all listeners of its job, and to no other', async () => {
  const relay = new SpeechRelay()
  const [one, two, other] = [relay.listen('job_a'), relay.listen('job_a'), relay.listen('job_b')]
  const arrived = one.arrival()
  relay.publish('job_a', part(0))
  await arrived
  expect([one.take()?.index, two.take()?.index, other.take(), one.take()]).toEqual([0, 0, null, null])
})

test('a listener that is slower than the worker holds one part, and is at its own pace again afterwards', async () => {
  const relay = new SpeechRelay()
  const listener = relay.listen('job_a')
  for (const index of [0, 1, 2]) relay.publish('job_a', part(index))
  await listener.arrival()
  expect([listener.take()?.index, listener.take()]).toEqual([0, null])
  relay.publish('job_a', part(3))
  expect(listener.take()?.index).toBe(3)
})

test('a listener that has closed hears nothing', () => {
  const relay = new SpeechRelay()
  const listener = relay.listen('job_a')
  listener.close()
  relay.publish('job_a', part(0))
  expect(listener.take()).toBeNull()
})
