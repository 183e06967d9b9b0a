import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { codeSamples } from '../../../src/console/playground/code-samples.ts'

const text = `It's "quoted" $HOME \`id\` \\ end`
const samples = codeSamples({
  service: 'http://127.0.0.1:4000',
  slug: 'tts',
  voiceInput: 'voice',
  inputs: { text, voice: 'aria' },
})
const sampleOf = (name: string): string => samples.find((one) => one.name === name)?.text ?? ''

test('a shell takes the text of the samples as it was typed', () => {
  const shown = execFileSync('sh', ['-c', `curl() { for last; do :; done; printf %s "$last"; }\n${sampleOf('curl')}`], {
    encoding: 'utf8',
  })
  expect(JSON.parse(shown)).toEqual({ inputs: { text, voice: 'aria' } })
  const said = execFileSync('sh', ['-c', `npx() { printf %s "$3"; }\n${sampleOf('Command line')}`], {
    encoding: 'utf8',
  })
  expect(said).toBe(text)
})

test('samples name the key and never hold one', () => {
  expect(sampleOf('OpenAI SDK')).toContain('baseURL: "http://127.0.0.1:4000/v1"')
  expect(samples.filter((sample) => sample.text.includes('snt_'))).toEqual([])
})
