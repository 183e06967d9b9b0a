import { toCsv } from '../jobs/csv.ts'
import type { UsageGroup, UsageQuery } from '../operations.ts'
import { keyName } from '../parts/key-name.ts'

type Used = NonNullable<UsageQuery['usageDays']>[number]

interface Grouping {
  readonly by: UsageGroup
  /** The column head. */
  readonly head: string
  /** The name of the jobs that have no such thing. */
  readonly none: string
  /** The name of a thing that is gone and has left none. */
  readonly gone: string
  /** The parameter of the jobs list. */
  readonly filter: string
}

/** Groupings by their names in the address; the first one is the default. */
export const USAGE_GROUPINGS = {
  key: {
    by: 'API_KEY',
    head: 'API key',
    none: 'This console, without a key',
    gone: keyName(null, true),
    filter: 'key',
  },
  person: { by: 'USER', head: 'Person', none: 'API keys and deleted jobs', gone: 'A former person', filter: 'user' },
  endpoint: { by: 'ENDPOINT', head: 'Endpoint', none: '', gone: '', filter: 'endpoint' },
  tag: { by: 'TAG', head: 'Tag', none: 'Without a tag', gone: '', filter: 'tag' },
} as const satisfies Record<string, Grouping>

export type UsageGroupingName = keyof typeof USAGE_GROUPINGS

export const usageGroupingOf = (name: string | undefined): UsageGroupingName =>
  name !== undefined && Object.hasOwn(USAGE_GROUPINGS, name) ? (name as UsageGroupingName) : 'key'

export interface UsedBy {
  readonly group: string | null
  readonly name: string
  /** It is a key that was deleted, whose name is known. */
  readonly isDeleted: boolean
  readonly credits: number
  readonly jobs: number
  readonly characters: number
  readonly audioSeconds: number
}

const MEASURES = ['credits', 'jobs', 'characters', 'audioSeconds'] as const

/** Lists the groups by what they used, the dearest first. */
export function usedBy(used: readonly Used[], grouping: UsageGroupingName): UsedBy[] {
  const { none, gone } = USAGE_GROUPINGS[grouping]
  return used
    .map(({ group = null, name, isDeleted, ...sums }) => ({
      ...{ group, name: name ?? (group === null ? none : gone), isDeleted: isDeleted && name !== null },
      ...sums,
    }))
    .filter((group) => MEASURES.some((name) => group[name] !== 0))
    .sort((one, other) => other.credits - one.credits || other.jobs - one.jobs || (one.name < other.name ? -1 : 1))
}

/** The table as a file, row by row. */
export const usageCsv = (groups: readonly UsedBy[]): string => toCsv(['name', 'id', ...MEASURES], groups.map(toRow))

const toRow = ({ group, name, isDeleted, ...used }: UsedBy) => ({
  ...{ ...used, id: group },
  name: isDeleted ? `${name}, deleted` : name,
})
