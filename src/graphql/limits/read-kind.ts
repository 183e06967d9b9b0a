import {
  type DocumentNode,
  type ExecutionArgs,
  type FieldNode,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { ReadKind } from '../../db/one-moment.ts'
import { type Fragments, fragmentsOf } from './limits.ts'

const VIEWER = 'viewer'
const TOTAL = 'totalCount'

/** Yoga caches parsed documents, so each operation is looked at once. */
const known = new WeakMap<DocumentNode, Map<string, ReadKind | null>>()

/** Returns null for an operation that reads one thing. Root fields with fields below are reads, and so are those of `viewer`. */
export function readKindOf({ document, operationName }: ExecutionArgs): ReadKind | null {
  const operations = known.get(document) ?? new Map<string, ReadKind | null>()
  known.set(document, operations)
  const name = operationName ?? ''
  let kind = operations.get(name)
  if (kind === undefined) {
    const reads = readsOf(fragmentsOf(document), getOperationAST(document, operationName)?.selectionSet)
    kind = reads.length > 1 ? 'several' : reads.includes('list') ? 'list' : null
    operations.set(name, kind)
  }
  return kind
}

const readsOf = (fragments: Fragments, set: SelectionSetNode | undefined): ('one' | 'list')[] =>
  fieldsOf(fragments, set).flatMap(({ name, selectionSet }) => {
    if (selectionSet === undefined || name.value.startsWith('__')) return []
    if (name.value === VIEWER) return readsOf(fragments, selectionSet)
    const fields = fieldsOf(fragments, selectionSet)
    return fields.length > 1 && fields.some((field) => field.name.value === TOTAL) ? ['list'] : ['one']
  })

const fieldsOf = (fragments: Fragments, set: SelectionSetNode | undefined): FieldNode[] =>
  (set?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection]
    const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
    return fieldsOf(fragments, inner?.selectionSet)
  })
