import { expect, test } from 'vitest'
import { SCOPE_MEANINGS } from '../../../src/access/scopes.ts'
import { scopesInWords } from '../../../src/console/api-keys/scope-words.ts'

test.each([
  [['generate:voice', 'job:read'], 'speak, read jobs'],
  [['job:read', 'account:admin', 'voice:library', 'operator'], 'read jobs, manage the account and 2 more'],
  [['studio:use'], 'studio:use'],
])('%j is %s', (scopes, words) => {
  expect(scopesInWords(scopes)).toBe(words)
})

test('every scope of the service has words', () => {
  for (const scope of Object.keys(SCOPE_MEANINGS)) expect(scopesInWords([scope])).not.toBe(scope)
})
