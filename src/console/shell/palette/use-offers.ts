import { useLocation } from 'preact-iso/router'
import { at, PREFIX } from '../../api/base.ts'
import { isOperator, isOwner } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import { placeOf } from '../../jobs/jobs-address.ts'
import { voices as voicesQuery } from '../../operations.ts'
import { hearWord } from '../../playground/draft.ts'
import { showHelp } from '../help/help.ts'
import { sectionsFor } from '../sections.ts'
import { theme } from '../theme.ts'
import type { Offer } from './palette.ts'

type Go = (path: string) => void

/** All that the palette finds: screens, voices, and what can be done from anywhere. */
export function useOffers(): readonly Offer[] {
  const { route } = useLocation()
  const endpoints = useQuery(voicesQuery, {}).data?.myEndpoints ?? []
  const go: Go = (path) => route(at(path))
  const voices = endpoints.flatMap(({ slug: endpoint, voices: own }) =>
    own.map(({ slug, name }) => ({
      id: `voice ${endpoint} ${slug}`,
      name,
      kind: 'Voice',
      choose: () => go(`/playground?${new URLSearchParams({ endpoint, voice: slug })}`),
    })),
  )
  return [...screens(go), ...acts(go), ...voices]
}

const screens = (go: Go): Offer[] =>
  sectionsFor(isOwner.value, isOperator.value)
    .flatMap(({ sections }) => [...sections, PROFILE])
    .filter(({ path }, index, all) => all.findIndex((one) => one.path === path) === index)
    .map(({ path, name }) => ({ id: path, name, kind: 'Page', choose: () => go(path) }))

const PROFILE = { path: '/profile', name: 'Profile' }

function acts(go: Go): Offer[] {
  const colours = (['light', 'dark', 'system'] as const).map((value) => ({
    id: `colours ${value}`,
    name: `${value[0]?.toUpperCase()}${value.slice(1)} colours`,
    kind: 'Do',
    choose: () => {
      theme.value = value
    },
  }))
  return [
    ...(isOwner.value ? [{ id: 'key', name: 'New API key', kind: 'Do', choose: () => go('/keys?new') }] : []),
    ...colours,
    { id: 'help', name: 'Keyboard shortcuts', kind: 'Do', choose: showHelp },
    { id: 'docs', name: 'Documentation', kind: 'Do', choose: () => location.assign(`${PREFIX}/docs`) },
  ]
}

/** A typed id opens its page; the palette offers to speak any other text. */
export function offerOf(text: string, go: Go): Offer | null {
  if (text.trim() === '') return null
  const place = placeOf(text)
  if (place !== null) return { id: 'place', name: text.trim(), kind: 'Open', choose: () => go(place) }
  if (location.pathname === at('/playground')) return null
  const speak = (): void => {
    hearWord(text.trim())
    go('/playground')
  }
  return { id: 'speak', name: `“${text.trim()}”`, kind: 'Speak it', choose: speak }
}
