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
/** Read on `readPool`, as the parts of a series are. */
const STATISTICS = new Set([
  'creditDays',
  'creditEntries',
  'failureCauses',
  'jobPage',
  'jobStats',
  'spending',
  'webhookStats',
])
const SERIES = 'jobSeries'
/** It reads the ledger and the jobs. */
const USAGE = 'usageDays'
const SERIES_PARTS = new Set(['points', 'groups'])
/** Their totals may be read on `readPool`. */
const LONG_LISTS = new Set(['allJobs', 'auditEntries', 'deliveries', 'jobs', 'webhookDeliveries'])
const LEDGER = 'creditEntries'
const NUMBERS = new Set(['apiKeyCount', 'credits', 'processing', 'userCount', 'voiceCount', 'waiting'])

/** A read of numbers that others in the answer must agree with. */
interface Count {
  readonly isLong: boolean
  /** True if a page is read with its total. */
  readonly isPage: boolean
}

/** Yoga caches parsed documents, so each operation is looked at once. */
const known = new WeakMap<DocumentNode, Map<string, ReadKind | null>>()

/** Returns null for an operation without numbers that must agree, which reads field by field. */
export function readKindOf({ document, operationName }: ExecutionArgs): ReadKind | null {
  const operations = known.get(document) ?? new Map<string, ReadKind | null>()
  known.set(document, operations)
  const name = operationName ?? ''
  let kind = operations.get(name)
  if (kind === undefined) {
    kind = kindOf(countsIn(fragmentsOf(document), getOperationAST(document, operationName)?.selectionSet))
    operations.set(name, kind)
  }
  return kind
}

function kindOf(counts: readonly Count[]): ReadKind | null {
  if (counts.length > 1) return counts.some(({ isLong }) => isLong) ? 'several' : 'list'
  return counts.some(({ isPage }) => isPage) ? 'list' : null
}

const countsIn = (fragments: Fragments, set: SelectionSetNode | undefined): Count[] =>
  fieldsOf(fragments, set).flatMap(({ name: { value: name }, selectionSet }) => {
    if (name === VIEWER) return countsIn(fragments, selectionSet)
    const below = namesIn(fragments, selectionSet)
    if (name === SERIES) return below.filter((part) => SERIES_PARTS.has(part)).map(() => count(true))
    const isPage = below.length > 1 && below.includes(TOTAL)
    if (name === USAGE) return [count(true), count(true)]
    if (STATISTICS.has(name)) return [count(true, isPage)]
    const deeper = deepNamesIn(fragments, selectionSet)
    return [
      ...(below.includes(TOTAL) ? [count(LONG_LISTS.has(name), isPage)] : []),
      ...(deeper.some((field) => NUMBERS.has(field)) ? [count(false)] : []),
      ...(deeper.includes(LEDGER) ? [count(true)] : []),
    ]
  })

const count = (isLong: boolean, isPage = false): Count => ({ isLong, isPage })

const namesIn = (fragments: Fragments, set: SelectionSetNode | undefined): string[] =>
  fieldsOf(fragments, set).map(({ name }) => name.value)

const deepNamesIn = (fragments: Fragments, set: SelectionSetNode | undefined): string[] =>
  fieldsOf(fragments, set).flatMap(({ name, selectionSet }) => [name.value, ...deepNamesIn(fragments, selectionSet)])

const fieldsOf = (fragments: Fragments, set: SelectionSetNode | undefined): FieldNode[] =>
  (set?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection]
    const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
    return fieldsOf(fragments, inner?.selectionSet)
  })
