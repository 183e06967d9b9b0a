import { expect, test } from 'vitest'
import { commandLine, commandName } from '../../src/values/program.ts'

test('messages of a checkout name the command that works in it', () => {
  expect(commandLine('secrets rekey')).toBe('npx sonant secrets rekey')
})

test.each([
  ['/app/node_modules/.bin/sonant', 'npx sonant-tts'],
  ['/app/node_modules/sonant-tts/bin/sonant.js', 'npx sonant-tts'],
  ['/usr/local/bin/sonant', 'sonant'],
  ['/opt/sonant/bin/sonant.js', 'sonant'],
])('a package that was started as %s names %s', (script, command) => {
  expect(commandName(false, script)).toBe(command)
})
