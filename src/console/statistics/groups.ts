import type { JobGroup, StatisticsGroupsQuery } from '../operations.ts'
import { sentence } from '../parts/format.ts'
import { keyName } from '../parts/key-name.ts'

export type Group = StatisticsGroupsQuery['groups'][number]

interface Grouping {
  readonly by: JobGroup
  readonly title: string
  /** The column head. */
  readonly head: string
  /** The columns of the file that tell groups apart. */
  readonly columns: readonly (keyof Group)[]
  /** The name of a group. */
  readonly nameOf: (group: Group) => string
  /** The filter of the list of its jobs; null where lists have none for it. */
  readonly filterOf: (group: Group) => Readonly<Record<string, string>> | null
}

/** Groupings by their names in the address; the first one is the default. */
export const GROUPINGS = {
  endpoint: {
    by: 'ENDPOINT',
    title: 'Endpoints',
    head: 'Endpoint',
    columns: ['endpointKey'],
    nameOf: ({ endpointKey }) => endpointKey ?? '',
    filterOf: ({ endpointKey }) => ({ endpoint: endpointKey ?? '' }),
  },
  key: {
    by: 'API_KEY',
    title: 'API keys',
    head: 'Key',
    columns: ['apiKeyId', 'apiKeyName', 'isApiKeyDeleted'],
    nameOf: ({ apiKeyId, apiKeyName, isApiKeyDeleted }) =>
      apiKeyId ? keyName(apiKeyName, isApiKeyDeleted) : 'no key: the console',
    filterOf: ({ apiKeyId }) => (apiKeyId ? { key: apiKeyId } : null),
  },
  type: {
    by: 'TYPE',
    title: 'Types',
    head: 'Type',
    columns: ['type'],
    nameOf: ({ type }) => sentence(type ?? ''),
    filterOf: ({ type }) => ({ type: (type ?? '').toLowerCase() }),
  },
  status: {
    by: 'STATUS',
    title: 'States',
    head: 'State',
    columns: ['status'],
    nameOf: ({ status }) => sentence(status ?? ''),
    filterOf: ({ status }) => ({ status: (status ?? '').toLowerCase() }),
  },
} as const satisfies Record<string, Grouping>

/** More are in the file alone. */
const SHOWN_GROUPS = 50

/** Those with the most jobs, and how many more there are. */
export function largestOf(groups: readonly Group[]): { readonly shown: readonly Group[]; readonly more: number } {
  const shown = groups.toSorted((one, other) => other.jobs - one.jobs).slice(0, SHOWN_GROUPS)
  return { shown, more: groups.length - shown.length }
}

export type GroupingName = keyof typeof GROUPINGS

/** The grouping of an address, by its name. */
export const groupingOf = (name: string | undefined): GroupingName =>
  name !== undefined && Object.hasOwn(GROUPINGS, name) ? (name as GroupingName) : 'endpoint'

/** Finds the grouping of loaded groups: while those of another address load, that is the earlier one. @param name used without groups */
export function groupingOfAll(groups: readonly Group[], name: GroupingName): GroupingName {
  const [first] = groups
  if (first === undefined) return name
  if (first.endpointKey != null) return 'endpoint'
  if (first.type != null) return 'type'
  return first.status == null ? 'key' : 'status'
}
