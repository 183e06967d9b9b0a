import { EngineError, type KanjiCount } from '../../engine.ts'
import type { SpokenPart } from '../spoken-part.ts'

export interface KanjiTally {
  read: number
  unread: number
}

const pairs = (table: string): ReadonlyMap<string, string> =>
  new Map(Array.from(table.matchAll(/(\S)(\S)/gu), ([_pair, form, ordinary]) => [form!, ordinary!]))

/** Kanji that the dictionary lacks, each followed by a form that it knows. */
const UNKNOWN = pairs(`
  𠮷吉髙高﨑崎𣘺橋槗橋德徳桒桑栁柳濵浜瀨瀬賴頼曻昇彅薙黑黒靑青增増淸清橫横緖緒吳呉敎教步歩每毎卽即產産硏研戶戸內内
  兩両𠮟叱塡填頰頬惡悪壓圧圍囲爲為隱隠營営歐欧毆殴溫温穩穏價価畫画壞壊懷懐槪概擴拡殼殻渴渇卷巻陷陥勸勧寬寛歡歓觀観
  旣既歸帰僞偽戲戯犧犠舊旧據拠擧挙虛虚峽峡鄕郷區区驅駆薰薫徑径揭掲經経輕軽繼継鷄鶏擊撃儉倹劍剣險険圈圏檢検獻献驗験
  嚴厳效効黃黄鑛鉱號号碎砕濟済劑剤雜雑參参蠶蚕慘惨贊賛殘残齒歯辭辞濕湿寫写從従獸獣縱縦肅粛敍叙敘叙將将稱称涉渉狀状
  乘乗剩剰疊畳壤壌孃嬢釀醸觸触囑嘱寢寝愼慎圖図粹粋醉酔髓髄樞枢數数聲声竊窃專専戰戦踐践潛潜纖繊禪禅爭争插挿巢巣瘦痩
  裝装騷騒臟臓屬属續続墮堕體体帶帯滯滞擇択擔担單単斷断彈弾遲遅癡痴晝昼鑄鋳廳庁徵徴聽聴敕勅遞逓點点轉転黨党盜盗鬭闘
  鬪闘屆届惱悩腦脳霸覇拜拝廢廃發発髮髪拔抜晚晩蠻蛮祕秘甁瓶拂払倂併竝並餠餅變変瓣弁辯弁豐豊襃褒飜翻麵麺默黙譯訳藥薬
  餘余搖揺樣様謠謡亂乱覽覧獵猟綠緑淚涙勵励戾戻靈霊齡齢曆暦歷歴戀恋鍊錬爐炉勞労郞郎錄録灣湾緣縁遙遥堯尭凜凛亙亘禱祷
  簞箪剝剥噓嘘摑掴蟬蝉蠟蝋繫繋鹼鹸麴麹醬醤鷗鴎俠侠驒騨囊嚢軀躯瀆涜萊莱屢屡啞唖焰焔嚙噛俱倶吞呑諫諌潑溌醱醗搔掻蔣蒋
  顚顛贗贋窗窓羣群秌秋枩松畧略斈学昻昂惪徳㐂喜飮飲仂働銕鉄畄留㟢崎值値姊姉强強舍舎繡繍巗巌絕絶說説稅税脫脱悅悦閱閲
  銳鋭舖舗廏厩廐厩廚厨廁厠皋皐晧皓鑒鑑鑚鑽毗毘况況决決减減凖準淒凄兠兜勠戮迺廼囘回囯国夘卯娛娯屛屏峩峨﨏埼帋紙菴庵
  弌一弍二弎三彥彦徃往徧遍恊協恠怪憇憩拋抛揑捏昿曠檯台沒没湼涅滙匯溉漑瀘濾犁犂獎奨甞嘗皷鼓礦鉱禀稟稾稿稺稚穉稚竒奇
  竚佇笋筍筝箏粮糧綫線緜綿繈襁罸罰翆翠胷胸脉脈膓腸蔥葱蘓蘇蠏蟹襍雑覊羈咏詠謚諡謌歌譁嘩貍狸貎猊貓猫賍贓賔賓踈疎軆体
  軣轟逹達酧酬鏽錆鎻鎖鏁鎖閒間閙鬧阯址隂陰隸隷雞鶏韭韮頥頤顏顔飃飄餝飾餽饋騐験驘騾鬂鬢鰛鰮鳫雁鵝鵞鷰燕鸎鴬麪麺黏粘
  鼡鼠楙茂𡈽土𠀋丈寃冤栅柵姬姫尙尚甯寧寜寧尔爾晉晋兊兌勛勲厓崖喆哲嚞哲嵓巌暠皓歲歳濬浚煇輝盌椀絜潔羡羨隝島隯島呌叫
  喻喩囓齧墙牆嬾懶宂冗宼寇宻密帬裙庒荘廽廻迴廻弃棄彛彝懴懺戱戯昬昏杤栃枏楠柹柿梹檳椶棕椉乗毁毀溼湿烱炯熙煕珮佩疂畳
  疉畳皈帰盖蓋葢蓋矦侯碪砧禆裨秊年窻窓竸競筺筐箘菌糓穀糉粽縂総纎繊罎壜羮羹肬疣腭顎齶顎膸髄艢檣荅答薀蘊眾衆觧解諠喧
  貭質赱走踴踊辤辞辧弁迯逃遯遁鄰隣劒剣闗関靍鶴靏鶴頋顧飡餐飱餐馱駄鮏鮭鳬鳧凾函刋刊刧劫劵券剏創剳箚勦剿吿告咒呪啟啓
  囦淵妒妬妝粧姧姦嫰嫩尅剋幤幣幫幇弯彎彜彝忰悴悞誤愡惚戝賊抅拘拏拿搆構撿検旙幡朖朗槩概欟槻殱殲泝溯灑洒湌餐澂澄烖災
  灾災熏燻牋箋牕窓琹琴瓈璃畊耕畆畝畍界畱留痹痺睂眉瞹曖礆鹸稉粳稬糯窰窯籖籤綉繍綵彩缾瓶耡鋤芲花荆荊蒭芻蒂蔕蕚萼譌訛
  豔艶軄職耺職聀職輭軟軰輩閇閉鼇鼈熈煕卻却噐器埓埒攜携頹頽燄焔貳二
`)
/** Kanji that the dictionary knows only in some words, mostly names. */
const SELDOM_KNOWN = pairs(`
  亞亜醫医壹壱榮栄衞衛驛駅圓円鹽塩艷艶應応櫻桜奧奥假仮會会繪絵覺覚學学嶽岳樂楽罐缶關関氣気挾挟狹狭曉暁勳勲莖茎惠恵
  溪渓螢蛍藝芸缺欠縣県權権顯顕廣広恆恒國国齋斎棧桟絲糸兒児實実釋釈壽寿收収澁渋處処燒焼證証奬奨條条淨浄繩縄讓譲眞真
  盡尽穗穂隨随齊斉靜静攝摂淺浅錢銭雙双壯壮莊荘搜捜曾曽總総藏蔵對対臺台瀧滝澤沢膽胆團団蟲虫鎭鎮鐵鉄傳伝燈灯當当稻稲
  獨独讀読賣売麥麦濱浜佛仏邊辺邉辺辨弁寶宝萬万滿満彌弥與与豫予譽誉來来龍竜壘塁禮礼樓楼瑤瑶槇槙檜桧穰穣祿禄萠萌攪撹
  頸頚礪砺籠篭蘆芦鶯鴬藪薮蠅蝿賤賎濤涛靱靭瀦潴邇迩鰺鯵儘侭壺壷竈竃蠣蛎鈎鉤峯峰嶋島嶌島埜野裡裏渕淵渊淵冨富舩船舘館
  凉涼卆卒欝鬱册冊巖巌祗祇烟煙熔溶鎔溶鋪舗廂庇晄晃冲沖兔兎圀国塲場壻婿夛多婬淫嵜崎絃弦悳徳扣控栢柏棊棋楳梅橢楕歎嘆
  歿没洌冽牀床甦蘇癈廃盃杯聟婿聨聯莓苺薗園藷薯蘂蕊蕋蕊蹟跡迹跡躰体邨村醋酢銹錆鎚槌鴈雁韵韻駈駆麸麩龝秋碗椀脩修墻牆
  寳宝耻恥慾欲攷考曵曳冰氷泪涙潅灌珎珍痲麻礙碍穐秋簑蓑絏紲脣唇艸草谿渓豬猪豎竪釡釜釼剣劔剣剱剣鐡鉄鑵缶濶闊驩歓龜亀
  挌格暎映檪櫟澣浣煖暖硅珪籏旗粃秕絋紘舮艫讚讃弐二
`)

const anyOf = (forms: ReadonlyMap<string, string>): string => `[${[...forms.keys()].join('')}]`
const FORM = new RegExp(anyOf(UNKNOWN), 'gu')
const SELDOM_FORM = new RegExp(anyOf(SELDOM_KNOWN), 'gu')
const WORDS = /\p{Script=Han}+/gu
/** JIS X 0208, the dictionary's character set. */
const ROWS = 84
const CELLS = 94
/** In EUC-JP. */
const FIRST = 0xa1
const READING = /^\s?[ァ-ヺー]+$/u

/** Replaces kanji by known forms with the same reading, code point by code point. @param read the dictionary */
export function inOrdinaryKanji(text: string, read: (words: string) => readonly SpokenPart[]): string {
  const known = text.replace(FORM, (form) => UNKNOWN.get(form)!)
  return known.search(SELDOM_FORM) === -1 ? known : known.replace(WORDS, (words) => inKnownWords(words, read))
}

function inKnownWords(words: string, read: (words: string) => readonly SpokenPart[]): string {
  if (words.search(SELDOM_FORM) === -1) return words
  const characters = [...words]
  const parts = read(words).map(({ spoken, start, length }) => {
    const word = characters.slice(start, start + length).join('')
    return length > 1 && READING.test(spoken) ? word : word.replace(SELDOM_FORM, (form) => SELDOM_KNOWN.get(form)!)
  })
  return parts.join('')
}

let repertoire: ReadonlySet<string> | undefined

export function mayBeKnown(kanji: string): boolean {
  repertoire ??= readRepertoire()
  return repertoire.has(kanji)
}

function readRepertoire(): ReadonlySet<string> {
  const bytes = Array.from({ length: ROWS * CELLS }, (_, at) => [FIRST + Math.floor(at / CELLS), FIRST + (at % CELLS)])
  return new Set(new TextDecoder('euc-jp').decode(Uint8Array.from(bytes.flat())))
}

export function addKanji(tally: KanjiTally, { read, unread }: KanjiCount = { read: 0, unread: 0 }): void {
  tally.read += read
  tally.unread += unread
}

/** @throws RENDER_FAILED if unreadable kanji outnumber the rest */
export function requireReadings({ read, unread }: KanjiTally): void {
  if (unread <= read) return
  const lack = 'its dictionary has no reading for most of them'
  const reason = `The text is written in Chinese characters, which this voice does not read in Japanese: ${lack}.`
  throw new EngineError('RENDER_FAILED', reason)
}
