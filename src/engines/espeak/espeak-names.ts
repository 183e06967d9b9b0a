/** eSpeak's languages and accents; a test compares both lists with the engine. */
const LANGUAGES = [
  'af am an ar as az ba be bg bn bpy bs ca ca-ba ca-nw ca-va chr cmn cmn-Latn-pinyin cmn-latn-pinyin cs cv ',
  'cy da de el en en-029 en-GB-scotland en-GB-x-gbclan en-GB-x-gbcwmd en-GB-x-rp en-US en-US-nyc ',
  'en-gb-scotland en-gb-x-gbclan en-gb-x-gbcwmd en-gb-x-rp en-us en-us-nyc eo es es-419 et eu fa fa-Latn ',
  'fa-latn fi fo fr fr-BE fr-CH fr-be fr-ch ga gd gn grc gu hak haw he hi hr ht hu hy hyw ia id io is it ja ',
  'jbo ka kaa kk kl kn ko kok ku ky la lb lfn lt ltg lv mi mk ml mr ms mt mto my nb nci ne nl nog om or pa ',
  'pap piqd pl pt pt-BR pt-br py qdb qu quc qya ro ru ru-LV ru-cl ru-lv sd shn si sjn sk sl smj sq sr sv sw ',
  'ta te th ti tk tn tr tt ug uk ur uz vi vi-VN-x-central vi-VN-x-south vi-vn-x-central vi-vn-x-south xex ',
  'yue yue-Latn-jyutping',
].join('')
const VARIANTS = [
  'Alex|Alicia|Andrea|Andy|Annie|AnxiousAndy|Demonic|Denis|Diogo|Gene|Gene2|Henrique|Hugo|Jacky|Lee|Marco|',
  'Mario|Michael|Mike|Mr serious|Nguyen|Reed|RicishayMax|RicishayMax2|RicishayMax3|Storm|Tweaky|UniRobot|',
  'adam|anika|anikaRobot|announcer|antonio|aunty|belinda|benjamin|boris|caleb|croak|david|ed|edward|edward2|',
  'f1|f2|f3|f4|f5|fast|grandma|grandpa|gustave|ian|iven|iven2|iven3|iven4|john|kaukovalta|klatt|klatt2|',
  'klatt3|klatt4|klatt5|klatt6|linda|m1|m2|m3|m4|m5|m6|m7|m8|marcelo|max|michel|miguel|mike2|norbert|pablo|',
  'paul|pedro|quincy|rob|robert|robosoft|robosoft2|robosoft3|robosoft4|robosoft5|robosoft6|robosoft7|',
  'robosoft8|sandro|shelby|steph|steph2|steph3|travis|victor|whisper|whisperf|zac',
].join('')

/** A name such as `en-us+f3`: language, then variant. */
export interface EspeakNames {
  readonly languages: ReadonlySet<string>
  readonly variants: ReadonlySet<string>
}

export const ESPEAK_NAMES: EspeakNames = {
  languages: new Set(LANGUAGES.split(' ')),
  variants: new Set(VARIANTS.split('|')),
}
