import type { PeopleQuery } from '../operations.ts'

export type Person = PeopleQuery['users']['edges'][number]['node']
/** An owner's action on a user. */
export type PersonAct = 'role' | 'disable' | 'enable' | 'link' | 'reset'
