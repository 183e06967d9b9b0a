import { useEffect, useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at } from '../../api/base.ts'
import { isOperator, isOwner } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import type { HelpEntry, HelpGroup } from '../../help/pages.ts'
import { placeOf } from '../../jobs/jobs-address.ts'
import { paletteNames, voices as voicesQuery } from '../../operations.ts'
import { hearWord } from '../../playground/draft.ts'
import { showHelp } from '../help/help.ts'
import { sectionsFor } from '../sections.ts'
import { theme } from '../theme.ts'
import type { Offer } from './palette.ts'

export type Go = (path: string) => void

/** All that the palette finds without a further question: screens, voices, keys, people, and what can be done from anywhere or on this screen. */
export function useOffers(): readonly Offer[] {
  const { route } = useLocation()
  const endpoints = useQuery(voicesQuery, {}).data?.myEndpoints ?? []
  const names = useQuery(paletteNames, { owns: isOwner.value }).data
  const ofScreen = useMemo(screenActs, [])
  const go: Go = (path) => route(at(path))
  const voices = endpoints.flatMap(({ slug: endpoint, voices: own }) =>
    own.map(({ slug, name }) => ({
      id: `voice ${endpoint} ${slug}`,
      name,
      kind: 'Voice',
      choose: () => go(`/playground?${new URLSearchParams({ endpoint, voice: slug })}`),
    })),
  )
  const ownVoices = (names?.accountVoices ?? []).map(({ id, name }) => ({
    id,
    name,
    kind: 'Your voice',
    choose: () => go('/voices'),
  }))
  const keys = nodesOf(names?.apiKeys).map(({ id, name }) => ({
    id,
    name,
    kind: 'API key',
    choose: () => go(`/keys?key=${id}`),
  }))
  const people = nodesOf(names?.users).map(({ id, email }) => ({
    id,
    name: email,
    kind: 'Person',
    choose: () => go('/people'),
  }))
  return [...ofScreen, ...screens(go), ...acts(go), ...voices, ...ownVoices, ...keys, ...people, ...useHelp(go)]
}

/** The pages of help and their headings, once their file has come. */
function useHelp(go: Go): readonly Offer[] {
  const [groups, setGroups] = useState<readonly HelpGroup[]>([])
  useEffect(() => {
    void import('../../help/pages.ts').then(
      (file) => setGroups(file.groups),
      () => {},
    )
  }, [])
  return groups.flatMap(({ entries }) => entries.flatMap((entry) => offersOfHelp(entry, go)))
}

function offersOfHelp({ name: page, title, headings }: HelpEntry, go: Go): readonly Offer[] {
  const offer = (place: string, name: string, kind: string): Offer => ({
    id: `help ${place}`,
    name,
    kind,
    choose: () => go(`/help/${place}`),
  })
  return [
    offer(page, title, 'Help'),
    ...headings.map(({ id, text }) => offer(`${page}#${id}`, text, `Help · ${title}`)),
  ]
}

const nodesOf = <Node>(list: { readonly edges: readonly { readonly node: Node }[] } | undefined): readonly Node[] =>
  list?.edges.map(({ node }) => node) ?? []

/** The screen's own buttons: those beside its title, and any that names an act. */
const ACTS = '.top-actions :is(a, button, summary), [data-act]'

const screenActs = (): Offer[] =>
  [...document.querySelectorAll<HTMLElement>(ACTS)]
    .filter((one) => one.checkVisibility() && !one.matches(':disabled, [aria-disabled=true]'))
    .map((one, index) => ({
      id: `act ${index}`,
      name: one.dataset.act ?? one.ariaLabel ?? one.textContent.trim(),
      kind: 'Do',
      choose: () => {
        one.focus()
        one.click()
      },
    }))

const screens = (go: Go): Offer[] =>
  sectionsFor(isOwner.value, isOperator.value)
    .flatMap(({ sections }) => sections as readonly { readonly path: string; readonly name: string }[])
    .concat(OTHERS)
    .map(({ path, name }) => ({ id: path, name, kind: 'Page', choose: () => go(path) }))

const OTHERS = [
  { path: '/profile', name: 'Profile' },
  { path: '/help', name: 'Help' },
]

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
    { id: 'shortcuts', name: 'Keyboard shortcuts', kind: 'Do', choose: showHelp },
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
