import { describe, expect, test } from 'vitest'
import { readDocument } from '../../rest/document.ts'
import { openValidator } from '../../rest/openapi-validator.ts'
import type { Operation } from '../../rest/operation.ts'
import { operations } from '../../rest/operations.ts'

const { operations: documented } = await openValidator(await readDocument(null))
const table = operations as Record<string, Operation>
const scoped = Object.entries(table).flatMap(([id, { scope }]) => (scope === null ? [] : [[id, scope] as const]))

describe('operations', () => {
  test.each(scoped)('%s asks for the scope that its documentation names', (id, scope) => {
    const description = documented.find(({ operationId }) => operationId === id)?.description ?? ''
    expect(description.replace(/\s+/g, ' ')).toContain(`the scope \`${scope}\``)
  })

  test('what takes no key asks for no scope and looks for nothing before it answers', () => {
    const open = documented.filter(({ security }) => !security?.length)
    expect(open.map(({ operationId }) => operationId)).toEqual(['catalog', 'catalogEndpoint'])
    for (const { operationId = '' } of open) {
      expect(table[operationId]).toMatchObject({ scope: null })
      expect(table[operationId]?.target).toBeUndefined()
    }
  })
})
