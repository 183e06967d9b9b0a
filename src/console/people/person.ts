import type { PeopleQuery } from '../operations.ts'

export type Person = PeopleQuery['users']['edges'][number]['node']
/** What an owner does to a person. */
export type PersonAct = 'role' | 'disable' | 'enable' | 'link'
