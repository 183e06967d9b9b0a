import type { Language } from '../../engines/espeak/detect-language.ts'

const SENTENCES: Readonly<Record<Language, string>> = {
  English: 'Hello! This is how I sound when I read your words aloud.',
  German: 'Hallo! So klinge ich, wenn ich deine Worte vorlese.',
  French: 'Bonjour ! Voici ma voix quand je lis vos mots.',
  Spanish: '¡Hola! Así sueno cuando leo tus palabras en voz alta.',
  Italian: 'Ciao! Ecco la mia voce quando leggo le tue parole.',
  Portuguese: 'Olá! É assim que eu soo quando leio as suas palavras.',
  Russian: 'Здравствуйте! Так я звучу, когда читаю ваши слова.',
  Chinese: '你好！这就是我朗读你的文字时的声音。',
  Japanese: 'こんにちは。あなたの言葉を読むと、このような声になります。',
  Korean: '안녕하세요. 제가 글을 읽을 때의 목소리입니다.',
}

export function sentenceIn(language: string | null): { readonly language: Language; readonly text: string } {
  const known = language !== null && Object.hasOwn(SENTENCES, language) ? (language as Language) : 'English'
  return { language: known, text: SENTENCES[known] }
}
