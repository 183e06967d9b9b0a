import type { IconName } from '../parts/icon.tsx'

export interface Section {
  readonly path: string
  readonly name: string
  readonly icon: IconName
  /** Behind `g`. */
  readonly letter?: string
}

interface Group {
  readonly name: string
  readonly sections: readonly Section[]
}

const CREATE: Group = {
  name: 'Create',
  sections: [
    { path: '/playground', name: 'Playground', icon: 'playground', letter: 'p' },
    { path: '/studio', name: 'Studio', icon: 'studio', letter: 'd' },
  ],
}
const OBSERVE: Group = {
  name: 'Observe',
  sections: [
    { path: '/', name: 'Overview', icon: 'overview', letter: 'o' },
    { path: '/jobs', name: 'Jobs', icon: 'jobs', letter: 'j' },
    { path: '/statistics', name: 'Statistics', icon: 'statistics', letter: 's' },
  ],
}
const LIBRARY: Group = {
  name: 'Library',
  sections: [
    { path: '/voices', name: 'Voices', icon: 'voices', letter: 'v' },
    { path: '/lexicon', name: 'Lexicon', icon: 'lexicon', letter: 'l' },
  ],
}
const CONFIGURE: Group = {
  name: 'Configure',
  sections: [
    { path: '/keys', name: 'API keys', icon: 'keys', letter: 'k' },
    { path: '/webhooks', name: 'Webhooks', icon: 'webhooks', letter: 'w' },
    { path: '/credits', name: 'Usage and credits', icon: 'credits', letter: 'c' },
    { path: '/people', name: 'People', icon: 'people', letter: 'u' },
    { path: '/audit', name: 'Audit log', icon: 'audit', letter: 'a' },
  ],
}

const OPERATE: Group = {
  name: 'Operate',
  sections: [{ path: '/operator', name: 'Operator', icon: 'server', letter: 'r' }],
}

/** The sections that a user may open, group by group. The service refuses the others itself. */
export const sectionsFor = (isOwner: boolean, isOperator: boolean): readonly Group[] => [
  CREATE,
  OBSERVE,
  LIBRARY,
  ...(isOwner ? [CONFIGURE] : []),
  ...(isOperator ? [OPERATE] : []),
]

/** The section that a path belongs to: the longest one that it begins with. */
export function currentSection(sections: readonly Section[], path: string): string | undefined {
  const fitting = sections.filter((one) => path === one.path || (one.path !== '/' && path.startsWith(`${one.path}/`)))
  return fitting.toSorted((a, b) => b.path.length - a.path.length)[0]?.path
}
